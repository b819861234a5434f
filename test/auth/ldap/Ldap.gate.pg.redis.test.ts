/** Signing in by a real OpenLDAP server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApiAlone } from "../../support/Api.ts"
import { password } from "../../support/Client.ts"
import { runCommand } from "../../support/Command.ts"
import { openBrowser } from "../Browser.ts"
import { makeUser } from "../Users.ts"
import { type Slapd, base, hasSlapd, secret, startSlapd } from "./Slapd.ts"
import { fewOf } from "../../support/Seed.ts"

interface UserFields {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly first_name: string
  readonly groups: ReadonlyArray<{ readonly id: number; readonly name: string }>
}

describe.skipIf(!hasSlapd)("a directory", () => {
  let slapd: Slapd
  let api: Api

  beforeAll(async () => {
    slapd = await startSlapd()
    api = await startApiAlone({
      ...slapd.options,
      LDAP_GROUPS_CREATE: "true",
      LDAP_GROUPS_MAP: '{"unix": []}',
      LDAP_SUPERUSER_GROUPS: "engineers",
      LDAP_ADOPT: "no-password"
    })
  })

  afterAll(async () => {
    await api?.stop()
    await slapd?.stop()
  })

  const logIn = (name: string, word = secret) => openBrowser(api.service.url).logIn(name, word)
  const userOf = async (name: string) => {
    const found = await api.call<{ readonly results: ReadonlyArray<UserFields> }>(
      "GET",
      `/api/users/users/?username=${encodeURIComponent(name)}`
    )
    return found.json.results[0]
  }
  const isSuperuser = async (name: string) => {
    const query = "select is_superuser from users_user where username = $1"
    return (await api.database.sql.query<{ is_superuser: boolean }>(query, [name]))[0]?.is_superuser
  }
  const groupsOf = async (name: string) => (await userOf(name))?.groups.map((group) => group.name).sort()

  it("lets its users in with their password, with their groups, and groups of these groups", async () => {
    expect((await logIn("ana")).status).toBe(302)
    expect(await userOf("ana")).toMatchObject({ email: "ana@example.org", first_name: "Ana" })
    expect(await isSuperuser("ana")).toBe(true)
    expect(await groupsOf("ana")).toEqual(["engineers", "netops", "staff"])
  })

  it("refuses wrong passwords, unknown names, and no password, with the words of any wrong password", async () => {
    for (const [name, word] of [
      ["ana", "wrong"],
      ["nobody", secret],
      ["ana", ""],
      ["*", secret],
      ["a*", secret],
      ["ana)(uid=*", secret],
      ["ou=people", secret]
    ] as const) {
      const answer = await logIn(name, word)
      expect([name, answer.status, (await answer.text()).includes("correct username and password")]).toEqual([
        ...[name, 200, true]
      ])
    }
  })

  it("gives a token to its users", async () => {
    const body = { username: "ana", password: secret }
    expect((await api.raw("POST", "/api/users/tokens/provision/", body)).status).toBe(201)
    const wrong = await api.raw("POST", "/api/users/tokens/provision/", { ...body, password: "wrong" })
    expect([wrong.status, wrong.json]).toEqual([403, { detail: "Invalid username/password" }])
  })

  it("finds an entry with signs that filters and names of entries escape", async () => {
    expect((await logIn("o*d\\(d)")).status).toBe(302)
    expect(await userOf("o*d\\(d)")).toMatchObject({ email: "" })
  })

  it("makes the user of one account, whatever the case in which the name is typed", async () => {
    expect((await logIn("ANA")).status).toBe(302)
    expect(await userOf("ANA")).toBeUndefined()
  })

  it("keeps the user of a renamed entry", async () => {
    const before = (await userOf("bo")) ?? (await logIn("bo"), await userOf("bo"))
    await slapd.rename("uid=bo,ou=people", `uid=robert,ou=people,${base}`)
    expect((await logIn("robert")).status).toBe(302)
    expect([await userOf("robert"), (await userOf("bo"))?.id]).toEqual([undefined, before?.id])
    await slapd.rename("uid=robert,ou=people", `uid=bo,ou=people,${base}`)
  })

  it("takes a right away at the next sign-in, and leaves memberships given by hand", async () => {
    const byHand = await api.make("users/groups", { name: "by hand" })
    const { id, groups } = (await userOf("ana"))!
    await api.call("PATCH", `/api/users/users/${id}/`, { groups: [...groups.map((group) => group.id), byHand] })
    await slapd.change("cn=engineers,ou=groups", "member", [`uid=bo,ou=people,${base}`])
    expect((await logIn("ana")).status).toBe(302)
    expect(await groupsOf("ana")).toEqual(["by hand", "netops"])
    expect(await isSuperuser("ana")).toBe(false)
    await slapd.change("cn=engineers,ou=groups", "member", [`cn=netops,ou=groups,${base}`])
  })

  it("takes over a user of the same name who has no password, and no other", async () => {
    await api.database.sql.query("insert into users_user (username, password) values ('cy', '!moved')")
    expect((await logIn("cy")).status).toBe(302)
    expect(await userOf("cy")).toMatchObject({ first_name: "" })
    await makeUser(api, "dora")
    await slapd.rename("uid=bo,ou=people", `uid=dora,ou=people,${base}`)
    await api.database.sql.query("delete from users_user where username = 'bo'")
    const answer = await logIn("dora")
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining("The user name “dora” belongs to another user here.")
    ])
    await slapd.rename("uid=dora,ou=people", `uid=bo,ou=people,${base}`)
  })

  it("lets no locked account in", async () => {
    await slapd.change("uid=ana,ou=people", "pwdAccountLockedTime", ["000001010000Z"])
    expect((await logIn("ana")).status).toBe(200)
    await slapd.change("uid=ana,ou=people", "pwdAccountLockedTime", [])
    expect((await logIn("ana")).status).toBe(302)
  })

  it("leaves the passwords here valid", async () => {
    expect((await logIn("admin", password)).status).toBe(302)
  })

  it("is checked by its own command", async () => {
    const env = { ...environmentOf(api.database), ...slapd.options }
    const good = await runCommand(["check"], { env })
    expect(good.output).toContain(`ok    directory ${slapd.url}`)
    const wrong = await runCommand(["check"], { env: { ...env, LDAP_BIND_PASSWORD: "wrong" } })
    expect(wrong.output).toMatch(/CHANGE directory ldap:.*\n.*LDAP_BIND_PASSWORD/)
    const base = await runCommand(["check"], { env: { ...env, LDAP_USER_BASE: "ou=nowhere,dc=example,dc=org" } })
    expect(base.output).toMatch(/CHANGE directory ldap:/)
  })
})

describe.skipIf(!hasSlapd)("the connection to a directory", () => {
  let slapd: Slapd

  beforeAll(async () => {
    slapd = await startSlapd()
  })

  afterAll(() => slapd?.stop())

  const ways: ReadonlyArray<readonly [way: string, change: (slapd: Slapd) => Readonly<Record<string, string>>]> = [
    ["TLS", (slapd: Slapd) => ({ LDAP_URL: slapd.secureUrl, LDAP_CA: slapd.certificate })],
    ["StartTLS", (slapd: Slapd) => ({ LDAP_START_TLS: "true", LDAP_CA: slapd.certificate })],
    [
      "a template of names, and a server that is away",
      (slapd: Slapd) => ({
        LDAP_URL: `ldap://127.0.0.1:9,${slapd.url}`,
        LDAP_USER_BASE: "",
        LDAP_BIND_DN: "",
        LDAP_USER_DN_TEMPLATE: `uid=%(user)s,ou=people,${base}`,
        LDAP_REQUIRED_GROUP: "netops"
      })
    ]
  ]
  it.each(fewOf(ways, 1, "ways"))("works by %s", async (_, change) => {
    const api = await startApiAlone({ ...slapd.options, ...change(slapd) })
    expect((await openBrowser(api.service.url).logIn("ana", secret)).status).toBe(302)
    expect((await openBrowser(api.service.url).logIn("ana", "wrong")).status).toBe(200)
    expect((await openBrowser(api.service.url).logIn("ana,ou=people", secret)).status).toBe(200)
    await api.stop()
  })

  it.each([
    ["TLS", (slapd: Slapd) => ({ LDAP_URL: slapd.secureUrl })],
    ["StartTLS", () => ({ LDAP_START_TLS: "true" })]
  ])("by %s with a certificate that nobody trusts ends before a password is sent", async (_, change) => {
    const api = await startApiAlone({ ...slapd.options, ...change(slapd) })
    const answer = await openBrowser(api.service.url).logIn("ana", secret)
    expect(await answer.text()).toContain("The directory does not answer")
    expect(api.service.output()).not.toContain(secret)
    await api.stop()
  })
})

/** `rackwire users`: users of a directory follow it without a sign-in, and a way in for the ones who cannot log in. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApi } from "../../support/Api.ts"
import { runCommand } from "../../support/Command.ts"
import { openBrowser } from "../Browser.ts"
import { makeUser, userPassword } from "../Users.ts"
import { type Slapd, base, hasSlapd, secret, startSlapd } from "./Slapd.ts"

describe.skipIf(!hasSlapd)("users sync", () => {
  let slapd: Slapd
  let api: Api

  const options = () => ({ ...slapd.options, LDAP_GROUPS_CREATE: "true" })
  const sync = (...flags: ReadonlyArray<string>) =>
    runCommand(["users", "sync", ...flags], { env: { ...environmentOf(api.database), ...options() } })
  const isIn = async (name: string) => (await openBrowser(api.service.url).logIn(name, secret)).status === 302
  const userOf = async (name: string) =>
    (
      await api.call<{
        readonly results: ReadonlyArray<{ readonly is_active: boolean; readonly groups: ReadonlyArray<unknown> }>
      }>("GET", `/api/users/users/?username=${name}`)
    ).json.results[0]!

  beforeAll(async () => {
    slapd = await startSlapd()
    api = await startApi(options())
    for (const name of ["ana", "bo", "cy"]) await isIn(name)
  })

  afterAll(async () => {
    await api?.stop()
    await slapd?.stop()
  })

  it("changes nothing where nothing changed", async () => {
    expect((await sync()).output).toContain("0 users changed.")
  })

  it("takes groups away, and ends the tokens and sessions of a locked account until it is unlocked", async () => {
    const body = { username: "ana", password: secret }
    const made = await api.raw("POST", "/api/users/tokens/provision/", body)
    const { key } = made.json as { readonly key: string }
    const read = async () => (await api.raw("GET", "/api/users/users/", undefined, key)).status
    expect(await read()).toBe(200)
    await slapd.change("cn=netops,ou=groups", "member", [`cn=staff,ou=groups,${base}`])
    await slapd.change("cn=unix,ou=groups", "memberUid", [])
    expect((await sync()).output).toContain("ana: other groups")
    expect((await userOf("ana")).groups).toEqual([])
    await slapd.change("uid=ana,ou=people", "pwdAccountLockedTime", ["000001010000Z"])
    expect((await sync()).output).toContain("ana: inactive now")
    expect([await read(), (await userOf("ana")).is_active]).toEqual([403, false])
    await slapd.change("uid=ana,ou=people", "pwdAccountLockedTime", [])
    expect((await sync()).output).toContain("ana: active again")
    expect(await read()).toBe(200)
  })

  it("leaves a user alone who was made inactive by hand", async () => {
    await api.database.sql.query("update users_user set is_active = false where username = 'bo'")
    expect((await sync()).output).toContain("0 users changed.")
    expect((await userOf("bo")).is_active).toBe(false)
    expect((await runCommand(["users", "unlock", "bo"], { env: environmentOf(api.database) })).output).toContain(
      "User bo is active"
    )
    expect(await isIn("bo")).toBe(true)
  })

  it("makes a user inactive whose entry was deleted", async () => {
    await slapd.remove("uid=cy,ou=people")
    expect((await sync()).output).toContain("cy: inactive now")
    expect((await userOf("cy")).is_active).toBe(false)
  })

  it("changes nothing if most users would end, unless that is expected", async () => {
    await api.database.sql.query(`
      with more as (insert into users_user (username, password) select 'former' || n, '!' from generate_series(1, 20) n returning id)
      insert into rackwire_identity (issuer, subject, user_id) select 'ldap', 'former-' || id, id from more`)
    const refused = await sync()
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("20 of 23 users of the directory")])
    expect((await userOf("former1")).is_active).toBe(true)
    expect((await sync("--many")).output).toContain("20 users changed.")
    expect((await userOf("former1")).is_active).toBe(false)
  })

  it("changes nothing where nobody may search users", async () => {
    const template = { LDAP_USER_BASE: "", LDAP_BIND_DN: "", LDAP_USER_DN_TEMPLATE: `uid=%(user)s,ou=people,${base}` }
    const env = { ...environmentOf(api.database), ...options(), ...template }
    const refused = await runCommand(["users", "sync"], { env })
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("set LDAP_BIND_DN")])
    expect((await userOf("ana")).is_active).toBe(true)
  })

  it("changes nothing while the directory is away", async () => {
    const env = { ...environmentOf(api.database), ...options(), LDAP_URL: "ldap://127.0.0.1:9" }
    const away = await runCommand(["users", "sync", "--many"], { env })
    expect([away.code, away.output]).toEqual([1, expect.stringContaining("The directory does not answer")])
    expect((await userOf("ana")).is_active).toBe(true)
  })
})

it("users unlock forgets failed attempts by a name", async () => {
  const api = await startApi({ LOGIN_ATTEMPTS_PER_USER: "2" })
  await makeUser(api, "dora")
  const tried = async (word: string) => (await openBrowser(api.service.url).logIn("dora", word)).status
  expect([await tried("wrong"), await tried("wrong"), await tried(userPassword)]).toEqual([200, 200, 429])
  const { output } = await runCommand(["users", "unlock", "dora"], { env: environmentOf(api.database) })
  expect(output).toContain("User dora is active, and may try to log in.")
  expect(await tried(userPassword)).toBe(302)
  const missing = await runCommand(["users", "unlock", "nobody"], { env: environmentOf(api.database) })
  expect([missing.code, missing.output]).toEqual([1, expect.stringContaining("There is no user nobody.")])
  await api.stop()
})

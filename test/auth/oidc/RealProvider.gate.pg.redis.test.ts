/** Signing in by a real OpenID provider, over real HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../../support/Api.ts"
import { type Browser, openBrowser } from "../Browser.ts"
import { makeUser } from "../Users.ts"
import { type Account, type RealProvider, client, signInBy, startRealProvider } from "./RealProvider.ts"

let provider: RealProvider
let api: Api

beforeAll(async () => {
  provider = await startRealProvider()
  api = await startApiAlone({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
    OIDC_LABEL: "Company login",
    OIDC_ADOPT: "verified-email",
    OIDC_GROUPS_CLAIM: "groups",
    OIDC_GROUPS_CREATE: "true"
  })
  await provider.register(api.service.url)
})

afterAll(async () => {
  await api.stop()
  await provider.stop()
})

const ana: Account = {
  sub: "ana-1",
  preferred_username: "ana",
  given_name: "Ana",
  family_name: "Berg",
  email: "ana@example.org",
  email_verified: true
}

const signIn = (visitor: Browser, account: Account, path = "/login/oidc/?next=/dcim/sites/"): Promise<Response> =>
  signInBy(provider, api.service, { visitor, account, path })

const usersNamed = async (name: string) =>
  api.database.sql.query<{ readonly id: string; readonly email: string; readonly first_name: string }>(
    "select id::text as id, email, first_name from users_user where username = $1",
    [name]
  )

describe("a sign-in by a provider", () => {
  it("makes a user at the first time, finds it again by its subject, and leads to the next page", async () => {
    const visitor = openBrowser(api.service.url)
    const first = await signIn(visitor, ana)
    expect([first.status, first.headers.get("location")]).toEqual([302, "/dcim/sites/"])
    expect((await visitor.fetch("/api/users/users/")).status).toBe(200)
    const [made] = await usersNamed("ana")
    expect(made).toMatchObject({ email: "ana@example.org", first_name: "Ana" })
    // Another name and address of the same subject is the same user; of another subject, another one.
    const renamed = await signIn(openBrowser(api.service.url), {
      ...ana,
      preferred_username: "ana.berg",
      email: "new@example.org"
    })
    expect([renamed.status, await usersNamed("ana.berg")]).toEqual([302, []])
    const taken = await signIn(openBrowser(api.service.url), { ...ana, sub: "ana-2", email_verified: false })
    expect([taken.status, await taken.text()]).toEqual([403, expect.stringContaining("belongs to another user")])
    expect(api.service.output()).toContain("for the first time, as a new user")
  })

  it("does not log in with the random password of such a user", async () => {
    const visitor = openBrowser(api.service.url)
    await signIn(visitor, ana)
    for (const secret of ["", "!", ana.sub, "ana@example.org"])
      expect((await openBrowser(api.service.url).logIn("ana", secret)).status).toBe(200)
  })

  it("is bound to the browser that began it, and ends its session like any other", async () => {
    const visitor = openBrowser(api.service.url)
    const before = await signIn(visitor, ana)
    expect(before.headers.getSetCookie().find((line) => line.startsWith("signin="))).toContain("Max-Age=0")
    const set = (await visitor.fetch("/login/oidc/")).headers.getSetCookie().find((line) => line.startsWith("signin="))!
    for (const part of ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"]) expect(set).toContain(part)
    const key = visitor.cookies.get("sessionid")!
    const out = await visitor.submit("/logout/", {})
    expect([out.status, await out.text()]).toEqual([200, expect.stringContaining(`${provider.issuer}/session/end?`)])
    const thief = openBrowser(api.service.url)
    thief.cookies.set("sessionid", key)
    expect((await thief.fetch("/api/users/users/")).status).toBe(403)
  })

  it("takes over a local user of the same name with the same verified address alone", async () => {
    for (const name of ["berit", "carl", "dora"]) {
      const { id } = await makeUser(api, name)
      await api.call("PATCH", `/api/users/users/${id}/`, { email: `${name}@example.org` })
    }
    const account = (name: string, rest: object = {}): Account => ({
      ...{ sub: `${name}-1`, preferred_username: name, email: `${name}@example.org`, email_verified: true },
      ...rest
    })
    const tried = async (given: Account) => (await signIn(openBrowser(api.service.url), given)).status
    expect(await tried(account("berit"))).toBe(302)
    expect(await tried(account("carl", { email_verified: false }))).toBe(403)
    expect(await tried(account("carl", { email_verified: "true" }))).toBe(403)
    expect(await tried(account("carl", { email: "mallory@example.org" }))).toBe(403)
    // One account of the provider for one user.
    expect(await tried(account("berit", { sub: "berit-2" }))).toBe(403)
    const [dora] = await usersNamed("dora")
    await api.call("PATCH", `/api/users/users/${dora!.id}/`, { is_active: false })
    expect(await tried(account("dora"))).toBe(403)
    const bound = await api.database.sql.query("select subject from rackwire_identity order by subject")
    expect(bound).toEqual([{ subject: "ana-1" }, { subject: "berit-1" }])
  })

  it("gives groups of the claim, takes away those that it gave, and leaves those given by hand", async () => {
    const finn = { ...ana, sub: "finn-1", preferred_username: "finn" }
    const groupsOf = async () => {
      const rows = await api.database.sql.query<{ readonly name: string }>(
        "select g.name from users_user u join users_group g on g.id = any (u.groups) where u.username = 'finn' order by 1"
      )
      return rows.map(({ name }) => name)
    }
    await signIn(openBrowser(api.service.url), { ...finn, groups: ["network", "racks"] })
    expect(await groupsOf()).toEqual(["network", "racks"])
    const byHand = await api.make("users/groups", { name: "by hand" })
    await api.database.sql.query("update users_user set groups = groups || $1::bigint where username = 'finn'", [
      byHand
    ])
    await signIn(openBrowser(api.service.url), { ...finn, groups: ["racks"] })
    expect(await groupsOf()).toEqual(["by hand", "racks"])
    await signIn(openBrowser(api.service.url), finn)
    expect(await groupsOf()).toEqual(["by hand"])
  })

  it("refuses a user who is inactive, and whose sessions have ended with that", async () => {
    const eve = { ...ana, sub: "eve-1", preferred_username: "eve" }
    const visitor = openBrowser(api.service.url)
    expect((await signIn(visitor, eve)).status).toBe(302)
    const [user] = await usersNamed("eve")
    await api.call("PATCH", `/api/users/users/${user!.id}/`, { is_active: false })
    expect((await visitor.fetch("/api/users/users/")).status).toBe(403)
    const again = await signIn(openBrowser(api.service.url), eve)
    expect([again.status, await again.text()]).toEqual([403, expect.stringContaining("is inactive")])
  })

  it("leads to pages of the service alone", async () => {
    for (const next of ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"]) {
      const answer = await signIn(openBrowser(api.service.url), ana, `/login/oidc/?next=${encodeURIComponent(next)}`)
      expect([next, answer.headers.get("location")]).toEqual([next, "/"])
    }
  })

  it("begins on a page of the service, not by a link of another site", async () => {
    const answer = await openBrowser(api.service.url).fetch("/login/oidc/?next=/dcim/sites/", {
      headers: { "sec-fetch-site": "cross-site" }
    })
    expect(answer.headers.get("location")).toBe("/login/?next=%2Fdcim%2Fsites%2F")
    expect(await (await openBrowser(api.service.url).fetch("/login/?next=/dcim/sites/")).text()).toContain(
      'href="/login/oidc/?next=%2Fdcim%2Fsites%2F"'
    )
  })
})

/** Sign-in by a trusted proxy's header, over real HTTP: sessions, groups, programs, and users who are refused. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Api } from "../../support/Api.ts"
import { named } from "../../support/Client.ts"
import type { Service } from "../../support/Service.ts"
import { openBrowser } from "../Browser.ts"
import { makeUser } from "../Users.ts"
import {
  browserOf,
  creating,
  detailOf,
  get,
  groupsOf,
  html,
  on,
  sites,
  startBeside,
  startProxied,
  synced,
  trusting,
  usersNamed
} from "./Proxied.ts"

/** `stranger` trusts another proxy, `strict` creates nobody, `initial` gives defaults. */
let api: Api
let stranger: Service
let strict: Service
let initial: Service

beforeAll(async () => {
  api = await startProxied()
  stranger = await startBeside(api, { ...synced, TRUSTED_PROXIES: "10.0.0.0/8" })
  strict = await startBeside(api, { ...on, ...trusting })
  const permissions = JSON.stringify({ "dcim.view_site": { status: "active" }, "dcim.add_site": null })
  initial = await startBeside(api, {
    ...creating,
    ...trusting,
    REMOTE_AUTH_DEFAULT_GROUPS: "newcomers,missing",
    REMOTE_AUTH_DEFAULT_PERMISSIONS: permissions
  })
})

afterAll(async () => {
  for (const service of [initial, strict, stranger]) await service.stop()
  await api.stop()
})

const rows = (sql: string, parameters: ReadonlyArray<unknown> = []) => api.database.sql.query(sql, parameters)
const sessionsOf = (name: string) =>
  rows("select from rackwire_session s join users_user u on u.id = s.user_id where u.username = $1", [name])

describe("a browser behind the proxy", () => {
  it("begins one session of the user, who is created without a password, and writes with its CSRF token", async () => {
    const ann = browserOf(api, "ann", "admins")
    const first = await ann.fetch("/dcim/sites/")
    expect([first.status, (await sessionsOf("ann")).length]).toEqual([200, 1])
    expect(await first.text()).toContain("ann")
    for (const path of ["/", "/ipam/prefixes/", "/api/"]) expect((await ann.fetch(path)).status).toBe(200)
    expect(await sessionsOf("ann")).toHaveLength(1)
    const body = JSON.stringify(named("By proxy"))
    const write = (headers: Record<string, string>) =>
      ann.fetch(sites, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })
    expect((await write({})).status).toBe(403)
    expect((await write({ "x-csrftoken": ann.cookies.get("csrftoken")!, origin: "https://evil.example" })).status).toBe(
      403
    )
    expect((await write({ "x-csrftoken": ann.cookies.get("csrftoken")! })).status).toBe(201)
    const hash = await api.database.sql.query<{ readonly password: string }>(
      "select password from users_user where username = 'ann'"
    )
    expect(hash[0]!.password).toMatch(/^!/)
    const refused = await openBrowser(api.service.url).logIn("ann", hash[0]!.password)
    expect(refused.status).toBe(200)
  })

  it("loses its session when the header names another user, whose session begins", async () => {
    const bob = browserOf(api, "bob")
    await bob.fetch("/")
    const key = bob.cookies.get("sessionid")!
    const carl = browserOf(api, "carl")
    carl.cookies.set("sessionid", key)
    expect(await (await carl.fetch("/user/")).text()).toContain("carl")
    expect(carl.cookies.get("sessionid")).not.toBe(key)
    expect([(await sessionsOf("bob")).length, (await sessionsOf("carl")).length]).toEqual([0, 1])
  })

  it("has no session where the header is absent, or from an address that is no proxy", async () => {
    const dora = browserOf(api, "dora", "admins")
    await dora.fetch("/")
    const cookie = `sessionid=${dora.cookies.get("sessionid")}`
    const header = { "x-remote-user": "dora", "x-remote-groups": "admins" }
    expect((await get(api.service, { cookie, ...header })).status).toBe(200)
    expect((await get(api.service, { cookie })).status).toBe(403)
    expect((await get(stranger, { cookie, ...header })).status).toBe(403)
    expect((await get(api.service, { cookie, ...header })).status).toBe(200)
  })

  it("continues a session that began by a login, if the header names the same user", async () => {
    const visitor = openBrowser(api.service.url, html)
    await visitor.logIn()
    const key = visitor.cookies.get("sessionid")!
    const cookie = `sessionid=${key}`
    expect((await get(api.service, { cookie, "x-remote-user": "admin", "x-remote-groups": "admins" })).status).toBe(200)
    // From now on it is a session of the proxy.
    expect((await get(api.service, { cookie })).status).toBe(403)
    expect((await get(api.service, { cookie, "x-remote-user": "eve" })).status).toBe(403)
    expect((await get(api.service, { cookie, "x-remote-user": "admin" })).status).toBe(200)
  })

  it("gains and loses groups and rights with the header, in the same session, and so do tokens", async () => {
    const fay = browserOf(api, "fay", "admins|readers")
    await fay.fetch("/")
    expect(await groupsOf(api, "fay")).toEqual(["admins", "readers"])
    const [user] = await api.database.sql.query<{ readonly id: string }>(
      "select id::text as id from users_user where username = 'fay'"
    )
    const token = await api.newToken({ user: Number(user!.id) })
    const byToken = async () => (await api.raw("GET", "/api/users/groups/", undefined, token)).status
    expect([await byToken(), await byToken()]).toEqual([200, 200])
    const key = fay.cookies.get("sessionid")
    const later = browserOf(api, "fay", "readers|")
    later.cookies.set("sessionid", key!)
    expect((await later.fetch("/users/groups/")).status).toBe(403)
    expect([later.cookies.get("sessionid"), await groupsOf(api, "fay")]).toEqual([key, ["readers"]])
    expect(await byToken()).toBe(403)
    await browserOf(api, "staffed").fetch("/")
    expect(
      await rows("select from users_user where username = 'staffed' and is_staff and not is_superuser")
    ).toHaveLength(1)
  })
})

describe("a program behind the proxy", () => {
  it("reads by the header alone, without a session", async () => {
    const answer = await get(api.service, { "x-remote-user": "reader", "x-remote-groups": "admins" })
    expect([answer.status, answer.cookies]).toEqual([200, []])
    expect(await sessionsOf("reader")).toEqual([])
  })

  it("writes with a token only, whose user counts whatever the header names", async () => {
    const writer = await makeUser(api, "writer", { types: ["dcim.site"], actions: ["add", "view"] })
    const post = (headers: Record<string, string>, name: string) =>
      fetch(api.service.url + sites, {
        method: "POST",
        body: JSON.stringify(named(name)),
        headers: { "content-type": "application/json", "x-remote-user": "gus", "x-remote-groups": "admins", ...headers }
      })
    const refused = await post({}, "No session")
    const { detail } = (await refused.json()) as { readonly detail: string }
    expect([refused.status, detail]).toEqual([403, expect.stringContaining("open a page first, or send a token")])
    expect(await usersNamed(api, "gus")).toEqual([])
    expect((await post({ authorization: `Token ${writer.token}` }, "By token")).status).toBe(201)
    expect((await post({ authorization: `Token ${"0".repeat(40)}` }, "Wrong token")).status).toBe(403)
    const own = await get(
      api.service,
      { authorization: `Token ${writer.token}`, "x-remote-user": "gus" },
      "/api/users/users/"
    )
    expect(own.text).toContain('"username":"writer"')
  })

  it("gets a token by name and password as before", async () => {
    const { name } = await makeUser(api, "provisioned")
    const answer = await fetch(`${api.service.url}/api/users/tokens/provision/`, {
      method: "POST",
      body: JSON.stringify({ username: name, password: "a password for tests" }),
      headers: { "content-type": "application/json", "x-remote-user": "hal" }
    })
    expect(answer.status).toBe(201)
  })
})

describe("users", () => {
  it("who are unknown are refused in words unless they are created", async () => {
    const headers = { "x-remote-user": "nobody here" }
    expect(await detailOf(strict, headers)).toMatch(/^No user here has the name.*REMOTE_AUTH_AUTO_CREATE_USER/)
    const page = await get(strict, { ...headers, ...html }, "/")
    expect([page.status, page.cookies]).toEqual([403, []])
    expect(page.text).toContain("No user here has the name")
    expect(await usersNamed(api, "nobody here")).toEqual([])
  })

  it("who are inactive are refused, and their sessions end", async () => {
    const ida = browserOf(api, "ida")
    await ida.fetch("/")
    await rows("update users_user set is_active = false where username = 'ida'")
    expect((await ida.fetch("/")).status).toBe(403)
    expect(await detailOf(api.service, { "x-remote-user": "ida" })).toBe("User inactive")
    expect(await sessionsOf("ida")).toEqual([])
  })

  it("whose names differ from others only in the case or form of their letters are not created", async () => {
    await makeUser(api, "Kim")
    expect(await detailOf(api.service, { "x-remote-user": "kim" })).toMatch(/only in the case or form of its letters/)
    expect((await get(api.service, { "x-remote-user": "Kim" }, "/api/users/users/")).text).toContain('"username":"Kim"')
    const wide = Buffer.from("\uff2bim").toString("latin1")
    expect(await detailOf(api.service, { "x-remote-user": wide })).toMatch(/only in the case or form of its letters/)
    expect(await usersNamed(api, "kim")).toHaveLength(1)
  })

  it("are created once by concurrent requests, with default groups and permissions", async () => {
    await api.make("users/groups", { name: "newcomers" })
    await Promise.all(Array.from({ length: 6 }, () => get(initial, { "x-remote-user": "lea" })))
    expect((await get(initial, { "x-remote-user": "lea" })).status).toBe(200)
    expect([(await usersNamed(api, "lea")).length, await groupsOf(api, "lea")]).toEqual([1, ["newcomers"]])
    const granted = await rows(
      `select p.name, p.constraints from users_objectpermission p join users_user u on p.users = array[u.id]
        where u.username = 'lea' order by 1`
    )
    expect(granted).toEqual([
      { name: "dcim.add_site", constraints: null },
      { name: "dcim.view_site", constraints: { status: "active" } }
    ])
    expect(initial.output()).toContain(String.raw`\"missing\" is a default group that does not exist`)
  })
})

it("logs each sign-in, creation, change of groups and refusal", () => {
  const log = api.service.output()
  for (const line of [
    String.raw`audit: \"ann\" was created by the header of a proxy from \"127.0.0.1\"`,
    String.raw`audit: \"ann\" logged in by the header of a proxy from \"127.0.0.1\"`,
    String.raw`audit: the directory \"proxy\" adds the groups \"admins\"`,
    String.raw`audit: \"kim\" from \"127.0.0.1\" is denied \"GET /api/dcim/sites/\": ProxyUserSimilar`
  ])
    expect(log).toContain(line)
})

it("does not start without a trusted proxy, nor with wrong default permissions", async () => {
  const start = (options: Record<string, string>) => startBeside(api, { ...on, ...options })
  await expect(start({})).rejects.toThrow(/REMOTE_AUTH_ENABLED: no proxy is trusted/)
  const wrong = JSON.stringify({ "dcim.view_nothing": null })
  await expect(start({ ...trusting, REMOTE_AUTH_DEFAULT_PERMISSIONS: wrong })).rejects.toThrow(
    /REMOTE_AUTH_DEFAULT_PERMISSIONS: dcim.view_nothing is not a permission/
  )
})

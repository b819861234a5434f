/** Rows of users.signin: of which outcomes they are, who reads them, and what a flood of refusals writes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../../support/Api.ts"
import { type Json, type List, password } from "../../support/Client.ts"
import { openBrowser } from "../Browser.ts"
import { type User, makeUser, permit, userPassword } from "../Users.ts"
import { thorough } from "../../support/Seed.ts"

let api: Api

beforeAll(async () => {
  api = await startApi({ LOGIN_ATTEMPTS_PER_USER: "3", LOGIN_ATTEMPTS_PER_ADDRESS: "1000" })
})

afterAll(() => api.stop())

const path = "/api/users/sign-ins/"

const browser = (agent = "a browser of the test") => openBrowser(api.service.url, { "user-agent": agent })

interface SignIn extends Json {
  readonly id: number
  readonly kind: { readonly value: string; readonly label: string }
  readonly user: { readonly id: number } | null
  readonly name: string
  readonly reason: string
}

/** The rows of this query, the oldest first. */
const rows = async (query: string): Promise<ReadonlyArray<SignIn>> => {
  const reply = await api.call<List & { results: ReadonlyArray<SignIn> }>("GET", `${path}?limit=0&ordering=id&${query}`)
  expect(reply.status).toBe(200)
  return reply.json.results
}

const kindsOf = async (name: string) => (await rows(`name=${name}`)).map(({ kind }) => kind.value)

const provision = (username: string, secret: string, fields: Json = {}) =>
  api.raw("POST", "/api/users/tokens/provision/", { username, password: secret, ...fields })

describe("a row", () => {
  it("is written for a login, before its answer, with the user, the browser and the request", async () => {
    const { id } = await makeUser(api, "ann")
    const answer = await browser().logIn("ann", userPassword)
    const [row, ...more] = await rows("name=ann")
    expect(more).toEqual([])
    expect(row).toMatchObject({
      display: "Logged in: ann",
      kind: { value: "logged_in", label: "Logged in" },
      way: "password",
      user: { id, username: "ann" },
      name: "ann",
      address: "127.0.0.1",
      agent: "a browser of the test",
      request_id: answer.headers.get("x-request-id"),
      reason: "",
      details: ""
    })
  })

  it("is written for each further outcome of passwords and sessions", async () => {
    const { id } = await makeUser(api, "bob")
    const [here, there] = [browser(), browser()]
    await here.logIn("bob", userPassword)
    await there.logIn("bob", userPassword)
    await here.submit("/user/password/", { old_password: "wrong", new_password: "a new long password" })
    await here.submit("/user/password/", { old_password: userPassword, new_password: "a new long password" })
    await there.logIn("bob", "a new long password")
    await here.submit("/user/sessions/", { session: "others" })
    await here.submit("/logout/", {})
    expect((await provision("bob", "wrong")).status).toBe(403)
    expect((await provision("bob", "a new long password", { expires: "never" })).status).toBe(400)
    expect((await provision("bob", "a new long password")).status).toBe(201)
    expect(await kindsOf("bob")).toEqual([
      ...["logged_in", "logged_in", "refused", "password_changed", "logged_in"],
      ...["sessions_ended", "logged_out", "refused", "token_provisioned"]
    ])
    const refusals = await rows("name=bob&kind=refused")
    expect(refusals.map(({ reason, user }) => [reason, user?.id])).toEqual([
      ["WrongPassword", id],
      ["WrongPassword", id]
    ])
    const text = JSON.stringify(await rows("name=bob"))
    for (const secret of [userPassword, "a new long password", "wrong"]) expect(text).not.toContain(secret)
  })

  it("names the administrator who set a password or ended sessions", async () => {
    const { id } = await makeUser(api, "cleo")
    const admin = browser()
    await admin.logIn()
    await browser().logIn("cleo", userPassword)
    await admin.submit(`/users/users/${id}/sessions/`, { session: "others" })
    await admin.submit(`/users/users/${id}/password/`, { new_password: "another long password" })
    const found = await rows("name=cleo")
    expect(found.map(({ kind, details }) => [kind.value, details])).toEqual([
      ["logged_in", ""],
      ["sessions_ended", `1 session, by "admin"`],
      ["password_changed", `by "admin"`]
    ])
  })

  it("is written for each password that the API changes, of one user or many, and for no other change", async () => {
    const users = await Promise.all(["fay", "gil", "hal"].map((name) => makeUser(api, name)))
    const [fay, gil, hal] = users as [User, User, User]
    const secret = "one more long password"
    await permit(api, hal.id, { types: ["users.user"], actions: ["change"], constraints: { id: hal.id } })
    const list = "/api/users/users/"
    const single = await api.call("PATCH", `${list}${fay.id}/`, { password: secret })
    const whole = await api.call("PUT", `${list}${fay.id}/`, { username: "fay", password: secret })
    const many = await api.call(
      "PATCH",
      list,
      [fay, gil].map(({ id }) => ({ id, password: secret }))
    )
    const own = await hal.call("PATCH", `${list}${hal.id}/`, { password: secret })
    const other = await api.call("PATCH", `${list}${fay.id}/`, { email: "fay@example.org" })
    expect([single, whole, many, own, other].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const refused = await api.call("PATCH", list, [
      { id: gil.id, password: secret },
      { id: fay.id, password: "short" }
    ])
    expect(refused.status).toBe(400)
    const changesOf = async ({ id, name }: User) => {
      const found = await rows(`name=${name}`)
      expect(found.map(({ user, address }) => [user?.id, address])).toEqual(found.map(() => [id, "127.0.0.1"]))
      return found.map(({ kind, details, request_id }) => [kind.value, details, request_id])
    }
    const idOf = ({ headers }: { readonly headers: Headers }) => headers.get("x-request-id")
    const admin = expect.stringMatching(/^by "admin", with token \d+$/)
    expect(await changesOf(fay)).toEqual([single, whole, many].map((by) => ["password_changed", admin, idOf(by)]))
    expect(await changesOf(gil)).toEqual([["password_changed", admin, idOf(many)]])
    expect(await changesOf(hal)).toEqual([["password_changed", expect.stringMatching(/^with token \d+$/), idOf(own)]])
    expect(JSON.stringify(await rows("kind=password_changed"))).not.toContain(secret)
  })

  it("of a name of no user has no user, and what the client wrote as the column can store it", async () => {
    const hostile = `\u0000\ud800${"x".repeat(148)}\u{1f600}`
    expect((await provision("nobody at all", "wrong")).status).toBe(403)
    await browser("y".repeat(4000)).logIn("nobody at all", "wrong")
    await browser().logIn(hostile, "wrong")
    const [first, second] = await rows("name=nobody%20at%20all")
    expect([first!.user, second!.user, String(second!["agent"]).length]).toEqual([null, null, 300])
    const [cut] = await rows("name__isw=%ef%bf%bd")
    expect([cut!.user, cut!.name]).toEqual([null, `\ufffd\ufffd${"x".repeat(148)}`])
  })

  it("that cannot be written refuses nothing, and is named in the log", async () => {
    await makeUser(api, "dora")
    await api.database.sql.query("alter table users_signin rename to users_signin_away")
    try {
      expect((await browser().logIn("dora", userPassword)).status).toBe(302)
      expect((await browser().logIn("dora", "wrong")).status).toBe(200)
    } finally {
      await api.database.sql.query("alter table users_signin_away rename to users_signin")
    }
    expect(api.service.output()).toContain("audit: a row of users.signin was not written")
    expect(await kindsOf("dora")).toEqual([])
  })
})

describe("rows", () => {
  it("are for superusers and users with the permission, who see the users that they may view; nobody writes them", async () => {
    const eva = await makeUser(api, "eva")
    const auditor = await makeUser(api, "auditor", {
      types: ["users.signin"],
      actions: ["view", "add", "change", "delete"]
    })
    await browser().logIn("eva", userPassword)
    await browser().logIn("auditor", userPassword)
    const [{ id } = { id: 0 }] = await rows("name=eva")
    expect((await eva.call("GET", path)).status).toBe(403)
    expect((await api.raw("GET", path)).status).toBe(403)
    const seen = async () => {
      const { json } = await auditor.call("GET", `${path}?limit=0`)
      return (json["results"] as ReadonlyArray<SignIn>).map(({ name }) => name)
    }
    // Every user sees the own user object; rows of other users stay hidden.
    const before = await seen()
    expect([before.includes("auditor"), before.includes("eva")]).toEqual([true, false])
    await permit(api, auditor.id, { types: ["users.user"], actions: ["view"] })
    expect(await seen()).toContain("eva")
    for (const call of [api.call, auditor.call]) {
      for (const method of ["PUT", "PATCH", "DELETE"])
        expect((await call(method, `${path}${id}/`, {})).status).toBe(405)
      expect((await call("POST", path, {})).status).toBe(405)
    }
  })

  it("outlive their user", async () => {
    const { id } = await makeUser(api, "gone")
    await browser().logIn("gone", userPassword)
    expect((await api.call("DELETE", `/api/users/users/${id}/`)).status).toBe(204)
    const [row] = await rows("name=gone")
    expect([row!.kind.value, row!.name]).toEqual(["logged_in", "gone"])
  })

  it("are not repeated by the list of the change log, unless a filter names them", async () => {
    await makeUser(api, "logged")
    await browser().logIn("logged", userPassword)
    const [row] = await rows("name=logged")
    const log = "/api/extras/object-changes/"
    const typesIn = async (query: string) => {
      const { json } = await api.call<List>("GET", `${log}?limit=0&${query}`)
      return [...new Set((json.results as ReadonlyArray<Json>).map((change) => change["changed_object_type"]))]
    }
    const named = [
      `changed_object_type=users.signin&changed_object_id=${row!.id}`,
      `request_id=${String(row!["request_id"])}`
    ]
    for (const query of named) {
      await expect.poll(() => typesIn(query)).toEqual(["users.signin"])
    }
    expect(await typesIn("")).not.toContain("users.signin")
    expect((await api.call<List>("GET", log)).json.count).toBe(
      (await api.call<List>("GET", `${log}?limit=0`)).json.count
    )
  })

  it("are found by kind, way, user, address and time", async () => {
    const { id } = await makeUser(api, "filtered")
    await browser().logIn("filtered", userPassword)
    const [row] = await rows("name=filtered")
    const time = encodeURIComponent(String(row!["time"]))
    for (const [query, count] of [
      [`user_id=${id}&kind=logged_in&way=password&address=127.0.0.1`, 1],
      ["user=filtered", 1],
      [`name=filtered&time_after=${time}`, 1],
      [`name=filtered&time_after=2099-01-01T00:00:00Z`, 0],
      [`name=filtered&time_before=2000-01-01T00:00:00Z`, 0],
      ["name=filtered&kind=refused", 0],
      ["q=filtered", 1]
    ] as const)
      expect([query, (await rows(query)).length]).toEqual([query, count])
  })
})

describe("a flood of refusals", () => {
  it("over the rate limit of a user writes one row", async () => {
    await makeUser(api, "target")
    const statuses: Array<number> = []
    for (let at = 0; at < 12; at++) statuses.push((await browser().logIn("target", "wrong")).status)
    expect(statuses).toEqual([...Array<number>(3).fill(200), ...Array<number>(9).fill(429)])
    expect((await rows("name=target")).map(({ reason }) => reason)).toEqual([
      ...Array<string>(3).fill("WrongPassword"),
      "TooManyAttempts"
    ])
    expect(api.service.output().split(String.raw`\"target\" from \"127.0.0.1\" has to wait`)).toHaveLength(2)
  })

  thorough("with a new name each time writes a bounded number of rows", async () => {
    const { sql } = api.database
    const countOf = async () => {
      const statement = "select count(*)::int as count from users_signin where kind = 'refused'"
      return (await sql.query<{ readonly count: number }>(statement))[0]!.count
    }
    for (let at = 0; at < 130; at++) await provision(`name ${at}`, "wrong")
    // One was not written while the table was away.
    expect(await countOf()).toBe(100)
    expect((await rows("kind=refused")).at(-1)).toMatchObject({ reason: "TooManyAttempts" })
    // Logins are stored nevertheless.
    await browser().logIn("admin", password)
    expect((await rows("name=admin")).at(-1)).toMatchObject({ kind: { value: "logged_in" } })
  })
})

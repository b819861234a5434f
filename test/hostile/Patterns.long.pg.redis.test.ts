/** Regular expressions that Postgres takes long to evaluate, by a user who may only look at sites. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { named } from "../support/Client.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

/** Within all limits of size, and yet every character of a text makes a new state of its automaton. */
const slow = encodeURIComponent("a.{200}b.{200}c.{200}e")

let api: Api<ServiceProcess>
let token: string
let bystander: Bystander

beforeAll(async () => {
  api = await startApiProcess({ REQUEST_STATEMENT_TIMEOUT: "3 seconds" })
  // 6 MB of texts of which no two places are alike: also a fast machine takes longer than the limit.
  await api.database.sql.query(
    `insert into dcim_site (name, slug, comments)
     select 'big ' || n, 'big-' || n,
            (select string_agg(substr('abcd', 1 + (random() * 3)::int, 1), '') from generate_series(1, 100000) where n > 0)
       from generate_series(1, 60) n`
  )
  token = await looker("looker", null)
  bystander = await Bystander.arrive(api)
}, 120_000)

afterAll(async () => {
  await bystander.leave()
  await api.stop()
})

/** The token of a new user who may look at sites within these constraints. */
const looker = async (username: string, constraints: unknown): Promise<string> => {
  const user = await api.call<{ readonly id: number }>("POST", "/api/users/users/", {
    username,
    password: "a passphrase of some length"
  })
  const permission = await api.call("POST", "/api/users/permissions/", {
    name: username,
    object_types: ["dcim.site"],
    actions: ["view"],
    users: [user.json.id],
    constraints
  })
  if (permission.status !== 201) throw new Error(permission.text)
  return api.newToken({ user: user.json.id })
}

const storm = (paths: ReadonlyArray<string>, key: string) =>
  Promise.all(paths.map((path) => api.raw("GET", path, undefined, key)))

describe("twenty patterns at once", () => {
  it("from one user do not delay others", { timeout: 120_000 }, async () => {
    const paths = Array.from({ length: 20 }, () => `/api/dcim/sites/?comments__regex=${slow}`)
    let replies: Awaited<ReturnType<typeof storm>> = []
    const observed = await bystander.during(async () => {
      replies = await storm(paths, token)
    })
    expect(
      replies.filter(({ status }) => ![400, 429, 503].includes(status)).map(({ text }) => text.slice(0, 200))
    ).toEqual([])
    expect(replies.some(({ text }) => text.includes("regular expression takes too long"))).toBe(true)
    const later = replies.filter(({ status }) => status !== 400)
    expect(later.every(({ headers }) => Number(headers.get("retry-after")) > 0)).toBe(true)
    expectCalm(observed)
  })

  it("from constraints of permissions do not delay others", { timeout: 120_000 }, async () => {
    const keys = await Promise.all(
      Array.from({ length: 4 }, (_, n) => looker(`bound ${n}`, { comments__regex: decodeURIComponent(slow) }))
    )
    const observed = await bystander.during(async () => {
      const all = await Promise.all(
        keys.map((key) =>
          storm(
            [
              "/api/dcim/sites/",
              "/api/dcim/sites/1/?a",
              "/api/dcim/sites/export/",
              "/api/extras/object-changes/",
              "/api/dcim/sites/?q=big"
            ],
            key
          )
        )
      )
      const statuses = new Set(all.flat().map(({ status }) => status))
      expect([...statuses].filter((status) => status >= 500 && status !== 503)).toEqual([])
    })
    expectCalm(observed)
  })
})

describe("statements of requests", () => {
  it("that read for too long are answered with a time to retry; those that write have more time", async () => {
    const locked = api.database.sql.transaction(
      "lock table dcim_site in access exclusive mode",
      "select pg_sleep(6)::text"
    )
    const [read, count, written, health, other] = await Promise.all([
      api.raw("GET", "/api/dcim/sites/1/", undefined, token),
      api.raw("GET", "/api/dcim/sites/?limit=1", undefined, token),
      api.call("POST", "/api/dcim/sites/", named("patient")),
      api.raw("GET", "/health/ready"),
      api.call("GET", "/api/dcim/manufacturers/")
    ])
    for (const { status, text, headers } of [read, count]) {
      expect([status, text, headers.get("retry-after")]).toEqual([503, expect.stringContaining("takes too long"), "5"])
    }
    expect([written.status, health.status, other.status]).toEqual([201, 200, 200])
    await locked
  })

  it("that search by a quick pattern are answered as usual", async () => {
    const reply = await api.raw("GET", "/api/dcim/sites/?name__regex=^big [12]$", undefined, token)
    expect(reply.json).toMatchObject({ count: 2 })
  })

  it("that write by a permission with a pattern run in their transaction", async () => {
    const user = (
      await api.call<{ results: ReadonlyArray<{ id: number }> }>("GET", "/api/users/users/?username=looker")
    ).json.results[0]!.id
    await api.call("POST", "/api/users/permissions/", {
      name: "small ones",
      object_types: ["dcim.site"],
      actions: ["add", "change"],
      users: [user],
      constraints: { name__regex: "^small" }
    })
    expect((await api.raw("POST", "/api/dcim/sites/", named("large"), token)).status).toBe(403)
    const made = await api.raw("POST", "/api/dcim/sites/", named("small"), token)
    expect(made.status).toBe(201)
    const id = String(made.json["id"])
    const changed = await api.raw("PATCH", `/api/dcim/sites/${id}/`, { name: "tall" }, token)
    expect(changed).toMatchObject({ status: 403 })
    expect((await api.raw("PATCH", `/api/dcim/sites/${id}/`, { name: "smaller" }, token)).status).toBe(200)
  })
})

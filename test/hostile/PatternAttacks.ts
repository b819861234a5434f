/** Regular expressions that Postgres takes long to evaluate, and users who send them. */
import { expect, it } from "vitest"
import type { Api } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

/** Within all limits of size, and yet every character of a text makes a new state of its automaton. */
export const slow = encodeURIComponent("a.{200}b.{200}c.{200}e")

/**
 * Sites with so many texts of 100 kB of which no two places are alike: also a fast machine takes longer than the limit
 * for 60 of them.
 */
export const fillSites = (api: Api, sites: number) =>
  api.database.sql.query(
    `insert into dcim_site (name, slug, comments)
     select 'big ' || n, 'big-' || n,
            (select string_agg(substr('abcd', 1 + (random() * 3)::int, 1), '') from generate_series(1, 100000) where n > 0)
       from generate_series(1, ${sites}) n`
  )

/** The token of a new user who may look at sites within these constraints. */
export const looker = async (api: Api, username: string, constraints: unknown): Promise<string> => {
  const user = await api.call<{ readonly id: number }>("POST", "/api/users/users/", {
    username,
    password: "a passphrase of some length"
  })
  await api.make("users/permissions", {
    name: username,
    object_types: ["dcim.site"],
    actions: ["view"],
    users: [user.json.id],
    constraints
  })
  return api.newToken({ user: user.json.id })
}

/** Locks all sites for so many seconds. Resolves once they are locked, with a wait for the end of the lock. */
export const lockSites = async ({ database: { sql } }: Api, seconds: number): Promise<() => Promise<void>> => {
  const ended = sql.transaction("lock table dcim_site in access exclusive mode", `select pg_sleep(${seconds})::text`)
  const locks = "select 1 as one from pg_locks where relation = 'dcim_site'::regclass and mode = 'AccessExclusiveLock'"
  await eventually("the sites are locked", async () => (await sql.query(`${locks} and granted`)).length > 0)
  return () => ended
}

/** Sends the reads at once. */
export const storm = (api: Api, paths: ReadonlyArray<string>, key: string) =>
  Promise.all(paths.map((path) => api.raw("GET", path, undefined, key)))

/** Declares tests of quick patterns, with a service whose user `looker` has the token. */
export const expectQuickPatternsAnswered = (started: () => { readonly api: Api; readonly token: string }): void => {
  it("that search by a quick pattern are answered as usual", async () => {
    const { api, token } = started()
    const reply = await api.raw("GET", "/api/dcim/sites/?name__regex=^big [12]$", undefined, token)
    expect(reply.json).toMatchObject({ count: 2 })
  })

  it("that write by a permission with a pattern run in their transaction", async () => {
    const { api, token } = started()
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
}

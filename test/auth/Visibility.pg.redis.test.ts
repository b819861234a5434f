/**
 * Law: whatever permissions a user has, the objects that any way into the service shows are those that a naive
 * evaluation of the permissions gives.
 */
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, type Json, type List, startApi } from "../support/Api.ts"
import { type Clauses, type Region, type Site, type Tag, meets } from "./NaiveConstraint.ts"
import { type User, makeUser } from "./Users.ts"

let api: Api
let user: User
let group: number
let sites: ReadonlyArray<Site>
let regions: ReadonlyArray<Region>

const make = async (path: string, body: Json): Promise<number> => {
  const made = await api.call<{ id: number }>("POST", path, body)
  if (made.status !== 201) throw new Error(made.text)
  return made.json.id
}

const log = "/api/extras/object-changes/?changed_object_type=dcim.site&limit=0"
const statuses = ["active", "planned", "retired"]
const facilities = ["", "a_1", "a%2", "A_1", "\\"]

beforeAll(async () => {
  api = await startApi()
  const region = async (name: string, parent: Region | null): Promise<Region> => {
    const slug = name.toLowerCase()
    return { id: await make("/api/dcim/regions/", { name, slug, parent: parent?.id ?? null }), name, slug, parent }
  }
  const europe = await region("Europe", null)
  regions = [europe, await region("Berlin", europe), await region("Asia", null)]
  const tags: Array<Tag> = []
  for (const name of ["Core", "Edge"]) {
    tags.push({ id: await make("/api/extras/tags/", { name, slug: name.toLowerCase() }), name })
  }
  const made: Array<Site> = []
  for (let n = 0; n < 12; n++) {
    const site = {
      name: `Site ${n % 2 === 0 ? "even" : "Odd"} ${n}`,
      status: statuses[n % 3]!,
      facility: facilities[n % 5]!,
      latitude: n % 4 === 0 ? null : n,
      region: n % 4 === 3 ? null : regions[n % 4]!,
      tags: tags.filter((_, at) => ((n >> at) & 1) === 1)
    }
    const body = { ...site, slug: `site-${n}`, region: site.region?.id ?? null, tags: site.tags.map(({ id }) => id) }
    made.push({ id: await make("/api/dcim/sites/", body), ...site })
  }
  sites = made
  user = await makeUser(api, "somebody", { types: ["extras.objectchange"], actions: ["view"] })
  group = await make("/api/users/groups/", { name: "Some group" })
  await api.call("PATCH", `/api/users/users/${user.id}/`, { groups: [group] })
})

afterAll(() => api.stop())

const texts = fc.constantFrom("Site", "even", "odd", "Odd 1", "a_", "%", "_", "\\", "A", "a_1", "")
const ids = fc.integer({ min: 0, max: 14 })
const pair = <A>(names: ReadonlyArray<string>, value: fc.Arbitrary<A>) => fc.tuple(fc.constantFrom(...names), value)
const textLookups = ["iexact", "contains", "icontains", "startswith", "istartswith", "endswith"]

/** A key of a constraint and its value. */
const clause: fc.Arbitrary<readonly [string, unknown]> = fc.oneof(
  pair(["status"], fc.constantFrom(...statuses)),
  pair(["status__in"], fc.subarray(statuses, { minLength: 1 })),
  pair(["facility", "name"], texts),
  pair(
    textLookups.flatMap((lookup) => [`name__${lookup}`, `facility__${lookup}`]),
    texts.filter((text) => text !== "")
  ),
  pair(["facility__in"], fc.subarray(facilities, { minLength: 1 })),
  pair(["id__gt", "id__gte", "id__lt", "id__lte", "id", "pk"], ids),
  pair(["latitude__gt", "latitude__lte", "latitude"], ids),
  pair(["id__in"], fc.array(ids, { maxLength: 4 })),
  pair(["region", "region__id", "region_id"], fc.integer({ min: 1, max: 4 })),
  pair(["region__in"], fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 })),
  pair(["region__isnull", "latitude__isnull", "region__parent__isnull"], fc.boolean()),
  pair(["region"], fc.constant(null)),
  pair(["region__slug", "region__parent__slug"], fc.constantFrom("europe", "berlin", "nowhere")),
  pair(["region__name__startswith", "region__parent__name__icontains"], fc.constantFrom("E", "e", "Ber")),
  pair(["tags__name"], fc.constantFrom("Core", "Edge", "None"))
)

const clauses: fc.Arbitrary<Clauses> = fc.array(clause, { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs))
const constraints = fc.oneof(
  { weight: 5, arbitrary: clauses },
  { weight: 3, arbitrary: fc.array(clauses, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant(null) }
)

interface Permission {
  readonly constraints: Clauses | ReadonlyArray<Clauses> | null
  readonly enabled: boolean
  readonly toGroup: boolean
  readonly types: ReadonlyArray<string>
}

const permission: fc.Arbitrary<Permission> = fc.record({
  constraints,
  enabled: fc.constantFrom(true, true, true, false),
  toGroup: fc.boolean(),
  types: fc.constantFrom(["dcim.site"], ["dcim.site"], ["dcim.region"])
})

/** Only what sites have: a constraint must hold for every type that its permission names. */
const fitting = ({ types, constraints }: Permission) => (types[0] === "dcim.site" ? constraints : null)

const grant = async (permissions: ReadonlyArray<Permission>): Promise<ReadonlyArray<number>> => {
  const made: Array<number> = []
  for (const [at, each] of permissions.entries()) {
    made.push(
      await make("/api/users/permissions/", {
        name: `Generated ${at}`,
        object_types: each.types,
        actions: ["view", "delete"],
        enabled: each.enabled,
        constraints: fitting(each),
        ...(each.toGroup ? { groups: [group] } : { users: [user.id] })
      })
    )
  }
  return made
}

const idsIn = (results: unknown, field = "id"): ReadonlyArray<number> =>
  [...new Set((results as ReadonlyArray<Json>).map((each) => Number(each[field])))].sort((a, b) => a - b)

/** The ids of sites that each way shows; what is refused altogether shows none. */
const shown = async (): Promise<Readonly<Record<string, ReadonlyArray<number>>>> => {
  const list = await user.call("GET", "/api/dcim/sites/?limit=0")
  const paged = await user.call("GET", "/api/dcim/sites/?start=0&limit=0")
  const exported = await user.call("GET", "/api/dcim/sites/export/?format=json")
  const changes = await user.call("GET", log)
  const details: Array<number> = []
  for (const { id } of sites) {
    if ((await user.call("GET", `/api/dcim/sites/${id}/`)).status === 200) details.push(id)
  }
  const results = (reply: typeof list) => (reply.status === 200 ? reply.json["results"] : [])
  const listed = idsIn(results(list))
  if (list.status === 200) expect(list.json["count"]).toBe(listed.length)
  return {
    listed,
    details,
    paged: idsIn(results(paged)),
    exported: exported.status === 200 ? idsIn(exported.json) : [],
    logged: idsIn(results(changes), "changed_object_id")
  }
}

/** The ids that a bulk delete of all sites takes; they are put back afterwards. */
const deleted = async (): Promise<ReadonlyArray<number>> => {
  const rows = await api.database.sql.query<{ row: Json }>("select row_to_json(t) as row from dcim_site t")
  await user.call(
    "DELETE",
    "/api/dcim/sites/",
    sites.map(({ id }) => ({ id }))
  )
  const left = idsIn(await api.database.sql.query("select id::int as id from dcim_site"))
  const gone = sites.map(({ id }) => id).filter((id) => !left.includes(id))
  await api.database.sql.query(
    "insert into dcim_site select * from jsonb_populate_recordset(null::dcim_site, $1::jsonb) where id = any ($2::bigint[])",
    [JSON.stringify(rows.map(({ row }) => row)), gone]
  )
  return gone
}

it("shows, by list, detail, cursor, export and change log, and deletes what its permissions mean and nothing else", async () => {
  await expect.poll(async () => (await api.call<List>("GET", log)).json.count, { timeout: 60_000 }).toBe(sites.length)
  await fc.assert(
    fc.asyncProperty(fc.array(permission, { maxLength: 3 }), async (permissions) => {
      const granted = await grant(permissions)
      const allowed = sites
        .filter((site) =>
          permissions.some((each) => each.enabled && each.types[0] === "dcim.site" && meets(site, each.constraints))
        )
        .map(({ id }) => id)
      const ways = { ...(await shown()), deleted: await deleted() }
      for (const id of granted) await api.call("DELETE", `/api/users/permissions/${id}/`)
      for (const [way, found] of Object.entries(ways)) expect([way, found]).toEqual([way, allowed])
    }),
    { numRuns: 60 }
  )
})

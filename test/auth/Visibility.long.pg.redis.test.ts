/**
 * Laws: whatever permissions a user has, the objects that any way into the service shows are those that a naive
 * evaluation of the permissions gives; and nothing that the user can ask tells anything about the others.
 */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"
import { type Existing, makeWorld } from "../support/AnyObject.ts"
import { type Api, startApi } from "../support/Api.ts"
import type { Json, List } from "../support/Client.ts"
import { type HiddenRow, changeHidden, everyRow, twinOf } from "./HiddenWorld.ts"
import { inConsole } from "./InConsole.ts"
import { type Clauses, type Region, type Site, type Tag, meets } from "./NaiveConstraint.ts"
import { type Question, questions } from "./Questions.ts"
import { type User, makeUser, permit } from "./Users.ts"
import { runs } from "../support/Seed.ts"

/** Requests at once. */
const clients = 4

let api: Api
let user: User
let group: number
let sites: ReadonlyArray<Site>
let regions: ReadonlyArray<Region>

const log = "/api/extras/object-changes/?changed_object_type=dcim.site&limit=0"
const statuses = ["active", "planned", "retired"]
const facilities = ["", "a_1", "a%2", "A_1", "\\"]

beforeAll(async () => {
  api = await startApi({ IMPORTS_AT_ONCE: `${clients}` })
  const region = async (name: string, parent: Region | null): Promise<Region> => {
    const slug = name.toLowerCase()
    return { id: await api.make("dcim/regions", { name, slug, parent: parent?.id ?? null }), name, slug, parent }
  }
  const europe = await region("Europe", null)
  regions = [europe, await region("Berlin", europe), await region("Asia", null)]
  const tags: Array<Tag> = []
  for (const name of ["Core", "Edge"]) {
    tags.push({ id: await api.make("extras/tags", { name, slug: name.toLowerCase() }), name })
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
    made.push({ id: await api.make("dcim/sites", body), ...site })
  }
  sites = made
  user = await makeUser(api, "somebody", { types: ["extras.objectchange"], actions: ["view"] })
  group = await api.make("users/groups", { name: "Some group" })
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
      await api.make("users/permissions", {
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
  const exported = await user.call("GET", "/api/dcim/sites/export/?format=json&references=id")
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
  const every = sites.map(({ id }) => ({ id }))
  await user.call("DELETE", "/api/dcim/sites/", every)
  const left = idsIn(await api.database.sql.query("select id::int as id from dcim_site"))
  const gone = sites.map(({ id }) => id).filter((id) => !left.includes(id))
  await api.database.sql.query(
    "insert into dcim_site select * from jsonb_populate_recordset(null::dcim_site, $1::jsonb) where id = any ($2::bigint[])",
    [JSON.stringify(rows.map(({ row }) => row)), gone]
  )
  return gone
}

it("shows, by list, detail, cursor, export, change log and the console, and deletes what its permissions mean and nothing else", async () => {
  await expect.poll(async () => (await api.call<List>("GET", log)).json.count).toBe(sites.length)
  await fc.assert(
    fc.asyncProperty(fc.array(permission, { maxLength: 3 }), async (permissions) => {
      const granted = await grant(permissions)
      const allowed = sites
        .filter((site) =>
          permissions.some((each) => each.enabled && each.types[0] === "dcim.site" && meets(site, each.constraints))
        )
        .map(({ id }) => id)
      const pages = await inConsole(api.service.url, user, sites, allowed)
      const ways = { ...(await shown()), ...pages, deleted: await deleted() }
      for (const id of granted) await api.call("DELETE", `/api/users/permissions/${id}/`)
      for (const [way, found] of Object.entries(ways)) expect([way, found]).toEqual([way, allowed])
    }),
    { numRuns: runs(18) }
  )
})

describe("two worlds that differ only in objects that a user may not see", () => {
  const changeLog = "/api/extras/object-changes/?limit=1"
  /** Their definitions are part of the objects that have them, so everybody sees them. */
  const common = ["extras.customfield"]
  const types = [...registry.values()].filter(({ id, kind }) => kind === "object" && !common.includes(id))
  let eve: User
  let existing: Existing
  let round = 0
  /** Milliseconds; alone on two cores it takes a fraction of this. */
  const timeout = 300_000

  beforeAll(async () => {
    const objects = await makeWorld(api.call, 2)
    const users: Array<number> = []
    for (const name of ["hidden-ann", "hidden-bob"]) users.push((await makeUser(api, name)).id)
    existing = (type) => (type === "users.user" ? users : objects(type))
    eve = await makeUser(api, "eve")
    const webhooks = existing("extras.webhook").map((id) => ({ id, enabled: false }))
    await api.call("PATCH", "/api/extras/webhooks/", webhooks)
  })

  /** Objects that the user may see, by object type: all, some by their ids, or nothing. */
  type Sight = Readonly<Record<string, "all" | ReadonlyArray<number>>>
  const sight = (): fc.Arbitrary<Sight> =>
    fc.record(
      Object.fromEntries(
        [...types, objectType("users.user")].map(({ id }) => [
          id,
          fc.oneof(fc.constant("all" as const), fc.subarray([...existing(id)]), fc.constant([]))
        ])
      ),
      { noNullPrototype: true }
    )

  const permitSight = async (sight: Sight): Promise<void> => {
    const actions = ["view", "change"]
    const whole = Object.keys(sight).filter((id) => sight[id] === "all")
    await permit(api, eve.id, { types: [...whole, ...common, "extras.objectchange"], actions })
    await permit(api, eve.id, { types: [...types.map(({ id }) => id), "users.token"], actions: ["add"] })
    for (const [id, seen] of Object.entries(sight)) {
      if (seen === "all" || seen.length === 0) continue
      await permit(api, eve.id, { types: [id], actions, constraints: { id__in: seen } })
    }
  }

  const revokeAll = async (): Promise<void> => {
    const { results } = (await api.call<List>("GET", "/api/users/permissions/?limit=0")).json
    await api.call(
      "DELETE",
      "/api/users/permissions/",
      results.map(({ id }) => ({ id }))
    )
  }

  const answers = async (asked: ReadonlyArray<Question>): Promise<ReadonlyArray<string>> => {
    const replies: Array<string> = []
    for (let at = 0; at < asked.length; at += clients) {
      const some = asked.slice(at, at + clients).map(async ({ method, path, body }) => {
        // A file that ends early is an answer too.
        const { status, text } = await eve
          .call(method, path, body)
          .catch((error: Error) => ({ status: 0, text: error.message }))
        const told = text.replaceAll(/"last_used":"[^"]*"/g, "")
        expect([path, status < 500]).toEqual([path, true])
        return `${method} ${path} ${JSON.stringify(body)} -> ${status} ${told}`
      })
      replies.push(...(await Promise.all(some)))
    }
    return replies
  }

  it(
    "answer every request of that user alike, to the letter",
    async () => {
      const logged = async () => (await api.call<List>("GET", changeLog)).json.count
      const made = types.reduce((sum, { id }) => sum + existing(id).length, 0)
      await expect.poll(logged).toBeGreaterThanOrEqual(made)
      await fc.assert(
        fc.asyncProperty(sight(), fc.nat(), async (sight, seed) => {
          await revokeAll()
          await permitSight(sight)
          const visible = (id: string) => (sight[id] === "all" ? existing(id) : (sight[id] ?? []))
          const hidden = Object.keys(sight).flatMap((id) =>
            existing(id)
              .filter((key) => !visible(id).includes(key))
              .map((key): HiddenRow => ({ type: objectType(id), id: key }))
          )
          const now = round++
          const unborn = ({ id }: ObjectType) =>
            hidden.flatMap((row) => (row.type.id === id ? [twinOf(row.id, now)] : []))
          const known = { rows: await everyRow(api.database), visible, unborn }
          const asked = fc.sample(questions(known), { numRuns: 1, seed })[0]!
          const before = await answers(asked)
          expect(await changeHidden(api.database, hidden, now)).toBeGreaterThanOrEqual(hidden.length)
          const after = await answers(asked)
          const told = before.flatMap((answer, at) => (answer === after[at] ? [] : [[answer, after[at]]]))
          expect(told).toEqual([])
        }),
        { numRuns: runs(3), endOnFailure: true }
      )
    },
    timeout
  )
})

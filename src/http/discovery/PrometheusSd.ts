/**
 * `/api/plugins/prometheus-sd/`: objects as targets of Prometheus' service discovery over HTTP, as NetBox's plugin of this
 * name answers, with the filters of the objects' lists. Prometheus reads no pages: an answer has all objects, and is
 * streamed page by page.
 */
import { Effect, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import type { Row, View } from "../../inventory/Field.ts"
import { type ObjectType, columnOf } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Where, asTexts } from "../../inventory/derive/filter/Where.ts"
import { list, viewFor } from "../../inventory/read/Read.ts"
import { declaring, endpoint } from "../declare/Endpoint.ts"
import { each, listOf, record, string } from "../declare/Parts.ts"
import { pageFrom, pagesOf } from "../files/Export.ts"
import { filteredBy, refuseMissing } from "../query/Strict.ts"
import type { Route } from "../Route.ts"
import { type Around, targetOf } from "./Labels.ts"

const root = "/api/plugins/prometheus-sd/"

const types = ["dcim.device", "virtualization.virtualmachine", "ipam.ipaddress", "ipam.service"].map((id) =>
  objectType(id)
)
const serviceType = objectType("ipam.service")
const assignmentType = objectType("tenancy.contactassignment")
const machines: Readonly<Record<string, string>> = {
  "dcim.device": "device",
  "virtualization.virtualmachine": "virtual_machine"
}

/** Most services, and most contacts, that are read for the machines of a page. */
const besideMax = 50_000

const beside = { ordering: ["id"], limit: besideMax, offset: 0 }

const idsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<number> => rows.map(({ id }) => id)

const ofMachine = (field: string, ids: ReadonlyArray<number>): Where => ({
  sql: `t.${columnOf(serviceType, field)} = any ($1::text[]::bigint[])`,
  parameters: [asTexts(ids)]
})

/** Rows of a type that a view has, which others refer to. */
const rowsIn = (view: View, type: string, rows: ReadonlyArray<Row>, field: string): ReadonlyArray<Row> => {
  const ids = new Set(rows.flatMap((row) => (row[field] as number | null | undefined) ?? []))
  return [...ids].flatMap((id) => view.row(type, id) ?? [])
}

/** Reads what the labels of a page need: what its objects refer to, what that refers to, services and contacts. */
const aroundOf = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>, base: string) {
  const own = yield* viewFor(type, rows, base)
  const groups = Object.entries(machines).map(([id, field]) => ({
    id,
    field,
    rows: id === type.id ? rows : type === serviceType ? rowsIn(own, id, rows, field) : []
  }))
  const views = [own]
  const services = new Map<string, ReadonlyArray<Row>>()
  const contacts = new Map<string, ReadonlyArray<Row>>()
  for (const { id, field, rows: some } of groups) {
    if (some.length === 0) continue
    if (id !== type.id) views.push(yield* viewFor(objectType(id), some, base))
    const ids = idsOf(some)
    const ofMachines = type === serviceType ? [] : yield* list(serviceType, { where: ofMachine(field, ids), ...beside })
    for (const [key, found] of Map.groupBy(ofMachines, (row) => Number(row[field]))) services.set(`${id} ${key}`, found)
    const where = {
      sql: "(t.content_type = $1 and t.object_id = any ($2::text[]::bigint[]))",
      parameters: [id, asTexts(ids)]
    }
    const assignments = yield* list(assignmentType, { where, ...beside })
    for (const [key, found] of Map.groupBy(assignments, (row) => Number(row["object_id"])))
      contacts.set(`${id} ${key}`, found)
    views.push(yield* viewFor(assignmentType, assignments, base))
  }
  for (const [id, field] of [
    ["tenancy.tenant", "tenant"],
    ["virtualization.cluster", "cluster"]
  ] as const) {
    const machinesToo = [...rows, ...groups.flatMap((group) => group.rows)]
    const found = views.flatMap((view) => rowsIn(view, id, machinesToo, field))
    if (found.length > 0) views.push(yield* viewFor(objectType(id), found, base))
  }
  const around: Around = {
    find: (id, key) => {
      if (typeof key !== "number") return undefined
      for (const view of views) {
        const row = view.row(id, key)
        if (row !== undefined) return row
      }
      return undefined
    },
    services: (id, key) => services.get(`${id} ${key}`) ?? [],
    contacts: (id, key) => contacts.get(`${id} ${key}`) ?? []
  }
  return { around, own }
})

const reply = listOf(record({ targets: listOf(string), labels: Schema.Record(string, string) }))

const discover = (type: ObjectType) =>
  declaring(
    { summary: `${type.label}s as targets of Prometheus' service discovery`, hasFilters: true, reply },
    (request) =>
      Effect.gen(function* () {
        const { where, named } = yield* filteredBy(type, request)
        yield* refuseMissing(named, 0)
        const sql = yield* SqlClient.SqlClient
        const clearance = yield* Clearance
        // Read before the answer begins, so that a query that fails is still answered with an error.
        const first = yield* pageFrom(type, where, 0)
        let isFirst = true
        const content = pagesOf(type, where, first).pipe(
          Stream.mapEffect((rows) =>
            Effect.flatMap(aroundOf(type, rows, request.base), ({ around, own }) =>
              mapInSlices(rows, (row) => targetOf(type.id, row, around, type.display(row, own)))
            )
          ),
          Stream.map((targets) => {
            const texts = targets.flatMap((target) => (target === undefined ? [] : JSON.stringify(target)))
            const between = isFirst || texts.length === 0 ? "" : ",\n"
            if (texts.length > 0) isFirst = false
            return between + texts.join(",\n")
          }),
          (pages) => Stream.concat(Stream.make("["), pages),
          (pages) => Stream.concat(pages, Stream.make("]\n")),
          Stream.provideService(SqlClient.SqlClient, sql),
          Stream.provideService(Clearance, clearance)
        )
        return { status: 200, stream: { type: "application/json", content } }
      })
  )

const names = types.map(({ plural }) => plural)

const addresses = endpoint(
  { summary: "The addresses of Prometheus' service discovery", reply: record(each(names, string)) },
  ({ base }) =>
    Effect.succeed({ status: 200, json: Object.fromEntries(names.map((name) => [name, `${base}${root}${name}/`])) })
)

export default [
  { path: root, access: "open", methods: { GET: addresses } },
  ...types.map((type): Route => ({ path: `${root}${type.plural}/`, access: type, methods: { GET: discover(type) } }))
] satisfies ReadonlyArray<Route>

/** Strict reading of requests: unknown names are refused instead of ignored. */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import type { Errors } from "../../inventory/Field.ts"
import { missing } from "../../inventory/read/Missing.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { customFieldsOf } from "../../inventory/read/Read.ts"
import { customPrefix } from "../../inventory/derive/filter/CustomFieldFilter.ts"
import { changeType, withoutAppendOnly } from "../../inventory/read/Changes.ts"
import { type Filtered, type Query, filter } from "../../inventory/derive/filter/Filter.ts"
import { type Named, namedIn } from "../../inventory/derive/filter/Named.ts"
import { type Where, allOf, everything } from "../../inventory/derive/filter/Where.ts"
import { isNewerName } from "../../inventory/derive/values/NewerNames.ts"
import { shortMessage } from "../../inventory/write/WriteRefused.ts"
import { itemErrors } from "../objects/ItemErrors.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { PresumedRequest } from "../wire/Request.ts"
import { isSet } from "./Parameter.ts"
import { queryOf } from "./SavedFilters.ts"

/** Query parameters that are not filters. */
const known: ReadonlySet<string> = new Set([
  ..."limit offset start ordering brief fields omit exclude include format export strict dry_run escape_formulas references update_existing".split(
    " "
  )
])

/** The condition that the query of a request means, and the objects that the query names. Fails with 400. */
export const filteredBy = Effect.fnUntraced(function* (type: ObjectType, request: PresumedRequest) {
  if (request.url.searchParams.size === 0) return { where: usualOf(type, []), named: [] }
  const query = yield* queryOf(type, request)
  const strict = yield* isSet(request, "strict", (yield* Settings).strictQuery)
  const definitions = query.some(([name]) => name.startsWith(customPrefix)) ? yield* customFieldsOf(type) : []
  const customFields = new Map(definitions.map((each) => [String(each["name"]), each]))
  const visible = yield* visibleToSender
  const filtered: Filtered = filter(type, query, visible, { strict, known, customFields })
  if ("errors" in filtered) return yield* new HttpRefused({ reason: "InvalidQuery", body: filtered.errors })
  return {
    where: allOf(filtered.where, usualOf(type, query)),
    named: namedIn(
      type,
      query.filter(([name]) => !known.has(name))
    )
  }
})

/** Filters that select single changes, or those of a type. */
const selecting = /^(?:id|request_id|changed_object_type|changed_object_id)(?:_|$)/

/** The rows that a list has where the query does not select others. */
const usualOf = ({ id }: ObjectType, query: Query): Where =>
  id === changeType.id && !query.some(([name]) => selecting.test(name)) ? withoutAppendOnly : everything

/** Fails with 400 if a filter names an object that does not exist. `found`: how many objects were found. */
export const refuseMissing = Effect.fnUntraced(function* (named: ReadonlyArray<Named>, found: number) {
  const errors = yield* missing(named, found)
  if (Object.keys(errors).length > 0) return yield* new HttpRefused({ reason: "InvalidQuery", body: errors })
})

/** Names that a body may have beside what its type shows: clients send back what they read. */
const tolerated: ReadonlySet<string> = new Set(["id", "url", "display", "display_url", "changelog_message"])

/** Fails with 400 if a body has fields that the type does not have, and the request is strict. */
export const refuseUnknown = Effect.fnUntraced(function* (
  type: ObjectType,
  request: PresumedRequest,
  bodies: ReadonlyArray<unknown>
) {
  if (!(yield* isSet(request, "strict", (yield* Settings).strictBody))) return
  const errors = bodies.map((body) => unknownIn(type, body))
  const first = errors.find((each) => Object.keys(each).length > 0)
  if (first === undefined) return
  return yield* new HttpRefused({ reason: "InvalidBody", body: bodies.length > 1 ? itemErrors(errors) : first })
})

/** Most unknown fields of a body that are named. */
const unknownMax = 20

const unknownIn = (type: ObjectType, body: unknown): Errors => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return {}
  const shown = { ...type.fields, ...type.derived, ...type.counts, ...type.pointedBy, ...type.creation.inputs }
  const isKnown = (name: string) => Object.hasOwn(shown, name) || tolerated.has(name) || isNewerName(type.id, name)
  const names = Object.keys(body).filter((name) => !isKnown(name))
  const told = names.slice(0, unknownMax).map((name) => [shortMessage(name), ["Unknown field."]])
  const others = `And ${names.length - unknownMax} more unknown fields.`
  return Object.fromEntries(names.length > unknownMax ? [...told, ["non_field_errors", [others]]] : told)
}

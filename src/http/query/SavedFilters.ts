/**
 * Saved filters in a query: `filter=<slug>` and `filter_id=<id>` represent the parameters that the filter stores.
 *
 * Several saved filters add up. Explicit query parameters override those of the same name in a saved filter.
 */
import { Effect } from "effect"
import type { Principal } from "../../auth/Principal.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import { type Row, isDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { list } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import type { Query } from "../../inventory/derive/filter/Filter.ts"
import { unknownChoice } from "../../inventory/derive/filter/Lookup.ts"
import { type Where, allOf, everything } from "../../inventory/derive/filter/Where.ts"
import { Unreadable } from "../../inventory/Unreadable.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { PresumedRequest } from "../wire/Request.ts"

const savedType = objectType("extras.savedfilter")

const names: ReadonlySet<string> = new Set(["filter", "filter_id"])

/** The query of the request, with the parameters of its saved filters. Fails with 400 if a saved filter is unknown. */
export const queryOf = Effect.fnUntraced(function* (type: ObjectType, { url, principal }: PresumedRequest) {
  // Operations have a field of this name.
  if (Object.hasOwn(type.fields, "filter")) return [...url.searchParams]
  const query = [...url.searchParams].filter(([name]) => !names.has(name))
  const named = (name: string) => url.searchParams.getAll(name).filter((value) => value !== "")
  const [slugs, ids] = [named("filter"), named("filter_id")]
  if (slugs.length + ids.length === 0) return query
  const numbers = ids.filter((id) => /^\d{1,18}$/.test(id))
  const asked = {
    sql: "(t.slug = any ($1::text[]) or t.id = any ($2::text[]::bigint[]))",
    parameters: [slugs, numbers]
  }
  const saved = yield* usable(type, principal, asked)
  const errors = {
    filter: slugs.filter((slug) => !saved.some((row) => row["slug"] === slug)).map(unknownChoice),
    filter_id: ids.filter((id) => !saved.some((row) => row.id === Number(id))).map(unknownChoice)
  }
  const unreadable = saved.find((row) => row["parameters"] instanceof Unreadable)
  if (unreadable !== undefined) {
    const body = { filter: [`What ${String(unreadable["name"])} keeps cannot be read.`] }
    return yield* new HttpRefused({ reason: "InvalidQuery", body })
  }
  const wrong = Object.entries(errors).filter(([, messages]) => messages.length > 0)
  if (wrong.length > 0) return yield* new HttpRefused({ reason: "InvalidQuery", body: Object.fromEntries(wrong) })
  return withSaved(query, saved)
})

/**
 * The enabled saved filters of a type that the user may use, of those that meet the condition. Everybody may use shared
 * filters, even without the permission to view saved filters.
 */
const usable = (type: ObjectType, { user }: Principal, where: Where, limit?: number) => {
  const theirs = {
    sql: "t.content_types @> array[$1] and t.enabled and (t.shared or t.user_id = $2::bigint)",
    parameters: [type.id, user === undefined ? null : `${user.id}`]
  }
  const page = { where: allOf(where, theirs), ordering: [], limit, offset: 0 }
  return Effect.provideService(list(savedType, page), Clearance, Clearance.all)
}

/** The saved filters of a type that the user may use, at most `limit`. */
export const savedFiltersOf = (type: ObjectType, principal: Principal, limit: number) =>
  usable(type, principal, everything, limit)

const withSaved = (query: Query, saved: ReadonlyArray<Row>): Query => {
  const said = names.union(new Set(query.map(([name]) => name)))
  const kept = saved.flatMap(({ parameters }) => (isDictionary(parameters) ? Object.entries(parameters) : []))
  return [
    ...query,
    ...kept.flatMap(([name, value]) =>
      said.has(name)
        ? []
        : [value].flat().flatMap((each): Query => (typeof each === "object" ? [] : [[name, String(each)]]))
    )
  ]
}

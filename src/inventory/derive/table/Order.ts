/** The order of lists as SQL: of fields by index, and of trees. Pure. */
import { type ObjectType, fieldOf } from "../../ObjectType.ts"
import { kindOf } from "../filter/Lookup.ts"
import { isTaxonomy } from "../filter/Path.ts"
import { type Where, after, isEverything } from "../filter/Where.ts"
import { naturalOrder } from "../../../postgres/migrate/Collation.ts"

/** SQL by which rows are ordered by a field (`-` before it turns it); `alias` includes its dot. */
export const orderTerm = (type: ObjectType, name: string, alias: string): string => {
  const field = name.replace(/^-/, "")
  const collation = isNatural(type, field) ? ` collate ${naturalOrder}` : ""
  return `${alias}${field === "id" ? "id" : type.columns[field]}${collation}${name.startsWith("-") ? " desc" : ""}`
}

/** Whether people expect the numbers in texts of the field to count: those that lists are usually ordered by. */
export const isNatural = (type: ObjectType, name: string): boolean =>
  (name === "name" || type.ordering.some((each) => each.replace(/^-/, "") === name)) &&
  Object.hasOwn(type.fields, name) &&
  kindOf(fieldOf(type, name)) === "text"

/** The `order by` of these fields, or of the usual ones. The id breaks ties, in the direction of the last field. */
export const orderBy = (type: ObjectType, ordering: ReadonlyArray<string>): string => {
  const known = knownIn(type, ordering)
  const terms = (known.length > 0 ? known : type.ordering).map((name) => orderTerm(type, name, "t."))
  return [...terms, terms.at(-1)?.endsWith(" desc") === true ? "t.id desc" : "t.id"].join(", ")
}

/** The `order by` of a list, and the parameters of it, which follow those of the conditions; `count` is how many. */
export const listOrder = (type: ObjectType, ordering: ReadonlyArray<string>, visible: Where, count: number): Where => {
  if (!isTaxonomy(type) || knownIn(type, ordering).length > 0) return { sql: orderBy(type, ordering), parameters: [] }
  const rows = isEverything(visible) ? type.table : `(select t.* from ${type.table} t where ${after(count, visible)})`
  return { sql: `${placeInTree(rows)}, t.id`, parameters: visible.parameters }
}

/** Deepest place in a tree that counts for its order; a bound for cycles that plain SQL has made. */
const depthMax = 100

/**
 * The names of an object and of those above it, from the top, each with its id. Objects above a hidden one do not count:
 * they would reveal its place. It costs about 10 µs an object: 10 ms for a tree of 1,000.
 */
const placeInTree = (rows: string): string =>
  `(with recursive above (parent_id, place) as (
      select t.parent_id, ${placeOf("t")}
      union all
      select p.parent_id, ${placeOf("p")} || a.place from ${rows} p join above a on p.id = a.parent_id
       where cardinality(a.place) < ${2 * depthMax})
    select place from above order by cardinality(place) desc limit 1) collate ${naturalOrder}`

const placeOf = (alias: string): string => `array[${alias}.name, lpad(${alias}.id::text, 19, '0')]`

const knownIn = (type: ObjectType, ordering: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(ordering)].filter((name) => isOrdered(type, name.replace(/^-/, "")))

/** Whether objects can be ordered by the field: the representation shows it, and its values have an order. */
export const isOrdered = (type: ObjectType, name: string): boolean => {
  if (name === "id") return true
  const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
  if (field === undefined || (field.wire !== "both" && field.wire !== "read")) return false
  return field.reference === undefined ? kindOf(field) !== undefined : !field.reference.many
}

/** Conditions on a reference of an object: which objects it names. */
import type { Reference } from "../../Field.ts"
import { type ObjectType, fieldOf } from "../../ObjectType.ts"
import { objectType } from "../../Registry.ts"
import { type CompiledLookup, type Refusal, compare, denial, either, positive, unknownChoice } from "./Lookup.ts"
import { type Reach, comparandOf, isTaxonomy, naturalKey } from "./Path.ts"
import { type Bind, visibleRows } from "./Where.ts"

/** How a filter names a reference: its field, whether by id, and whether without the descendants in a tree. */
export interface ReferenceName {
  readonly name: string
  readonly byId: boolean
  readonly exact: boolean
}

/**
 * A reference to one of the objects named by id or key, or, with `null`, no reference; in a tree also to descendants,
 * except that a filter by parent finds its children.
 */
export const referring = (
  type: ObjectType,
  alias: string,
  { name, byId, exact }: ReferenceName,
  suffix: string,
  values: ReadonlyArray<string>,
  reach: Reach
): CompiledLookup => {
  const { reference } = fieldOf(type, name)
  if (reference === undefined) return undefined
  const column = `${alias}.${type.columns[name]}`
  return orNone(column, reference, suffix, values, (given) => {
    const target = objectType(reference.type)
    const key = byId ? "id" : naturalKey(target)
    const below = !exact && isTaxonomy(target) && (target !== type || reference.wholeSubtree === true)
    const plain = key === "id" && !below && !reference.many
    const named = plain ? oneOf(column, given, reach.bind) : idsNamed(target, key, below, given, reach)
    return plain || typeof named !== "string" ? named : among(column, reference, named)
  })
}

/** The same for a reference named by id or by key, whichever the value is; a value that names nothing finds nothing. */
export const referringLoosely = (
  type: ObjectType,
  name: string,
  suffix: string,
  values: ReadonlyArray<string>,
  { visible, bind }: Reach
): CompiledLookup => {
  const reference = fieldOf(type, name).reference!
  const column = `t.${type.columns[name]}`
  const named = values.filter((value) => value !== "")
  return orNone(column, reference, suffix, named, (given) => {
    const target = objectType(reference.type)
    const key = naturalKey(target)
    const ids = given.filter((value) => isId(value))
    const ways = [
      ids.length === 0 ? undefined : oneOf("k.id", ids, bind),
      key === "id" ? undefined : compare(comparandOf(target, "k", key), "", given, bind)
    ].filter((way) => typeof way === "string")
    if (ways.length === 0) return "false"
    return among(
      column,
      reference,
      `array(select k.id from ${visibleRows(target, visible, bind)} k where ${either(ways)})`
    )
  })
}

const among = (column: string, { many }: Reference, ids: string): string =>
  many ? `${column} && ${ids}` : `${column} = any (${ids})`

/** A condition on a reference, where the value `null` means no reference. */
const orNone = (
  column: string,
  { many }: Reference,
  suffix: string,
  values: ReadonlyArray<string>,
  condition: (given: ReadonlyArray<string>) => CompiledLookup
): CompiledLookup => {
  const [asked, denied] = positive(suffix)
  if (asked !== "" || values.length === 0) return undefined
  const given = values.filter((value) => value !== "null")
  const named = given.length > 0 ? condition(given) : "false"
  if (typeof named !== "string") return named
  const none = many ? `${column} = '{}'` : `${column} is null`
  return denial(either([...(given.length > 0 ? [named] : []), ...(given.length < values.length ? [none] : [])]), denied)
}

/** The condition that a column of ids holds one of those named. */
const oneOf = (column: string, values: ReadonlyArray<string>, bind: Bind): CompiledLookup =>
  refusedIds(values) ?? compare({ kind: "number", sql: column, type: "bigint" }, "", values, bind)

const isId = (value: string): boolean => /^\d{1,18}$/.test(value)

const refusedIds = (values: ReadonlyArray<string>): Refusal | undefined => {
  const bad = values.filter((value) => !isId(value))
  return bad.length > 0 ? { messages: bad.map(unknownChoice) } : undefined
}

/**
 * SQL of the list of ids. Each id is a parameter: Postgres assumes ten elements for an array parameter, and would plan
 * shorter queries anew each time.
 */
const idsNamed = (
  target: ObjectType,
  key: string,
  tree: boolean,
  values: ReadonlyArray<string>,
  reach: Reach
): CompiledLookup => {
  const { bind } = reach
  const rows = () => visibleRows(target, reach.visible, bind)
  if (key === "id") {
    const ids = () => `array[${values.map((value) => `${bind(value)}::bigint`).join(", ")}]`
    const roots = () => `values ${values.map((value) => `(${bind(value)}::bigint)`).join(", ")}`
    return refusedIds(values) ?? (tree ? `array(${withDescendants(rows(), roots())})` : ids())
  }
  const condition = compare(comparandOf(target, "k", key), "", values, bind)
  if (typeof condition !== "string") return condition ?? { messages: values.map(unknownChoice) }
  const named = `select k.id from ${rows()} k where ${condition}`
  return tree ? `array(${withDescendants(rows(), named)})` : `array(${named})`
}

const withDescendants = (rows: string, roots: string): string =>
  `with recursive below (id) as (${roots} union select c.id from ${rows} c join below b on c.parent_id = b.id) select id from below`

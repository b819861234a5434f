/** Counts that are not stored: the database computes them, by index, for the objects of a page. */
import { literal } from "../postgres/Literal.ts"
import type { Fields } from "./Field.ts"

/** An object type as SQL names it. */
export interface Table {
  readonly table: string
  readonly fields: Fields
  readonly columns: Readonly<Record<string, string>>
}

/**
 * An SQL expression over `t`, a row of the type. `types`: all of them by id. `from` gives the objects of a type that the
 * current user may see.
 */
export type CountSql = <Type extends Table>(
  type: Type,
  types: ReadonlyMap<string, Type>,
  from: (type: Type) => string
) => string

/** Objects of a type whose reference names this one. */
export const countOf =
  (id: string, field: string): CountSql =>
  (_, types, from) =>
    counting(types.get(id)!, field, from)

const counting = <Type extends Table>(target: Type, field: string, from: (type: Type) => string): string =>
  bounded(target, from(target), ["id"], (id) => naming(target, field, id!))

/** SQL that `c`, an object of a type, names the object of an id in this field. */
const naming = ({ columns, fields }: Table, field: string, id: string): string =>
  fields[field]!.reference?.many === true
    ? `c.${columns[field]} @> array[${id}::bigint]`
    : `c.${columns[field]} = ${id}`

/** SQL that `c`, an object of a type, names `t` in this field. */
export const namesThis = (type: Table, field: string): string => naming(type, field, "t.id")

/** Up to so many objects are counted exactly; above, Postgres' estimate bounds the cost. */
const countedMax = 10_000

/**
 * SQL of how many objects of a type meet a condition over `c` and some columns of `t`. Where the user may not see all
 * of them the count is exact however large: an estimate would include hidden objects.
 */
export const bounded = (
  target: Table,
  from: string,
  columns: ReadonlyArray<string>,
  condition: (...values: ReadonlyArray<string>) => string
): string => {
  const values = columns.map((column) => `t.${column}`)
  const where = condition(...values)
  if (from !== target.table) return `(select count(*) from ${from} c where ${where})`
  const query = `select from ${from} c where ${condition(...columns.map(() => "%L"))}`
  const estimate = `rackwire_estimate(format(${literal(query)}, ${values.join(", ")}))`
  const some = `select from ${from} c where ${where} limit ${countedMax + 1}`
  return `(select case when n > ${countedMax} then greatest(n, ${estimate}) else n end
    from (select count(*) as n from (${some}) c) c)`
}

/** Objects of all types that have this field and name this one there. */
export const countOfAny =
  (field: string): CountSql =>
  (_, types, from) =>
    [...types.values()]
      .filter(({ fields }) => Object.hasOwn(fields, field))
      .map((target) => counting(target, field, from))
      .join(" + ")

/**
 * Objects below a hidden one are not counted: their place in the tree is hidden as well. `union` ends cycles that plain
 * SQL has made.
 */
const below = (rows: string) =>
  `with recursive below as (select t.id union select c.id from ${rows} c join below b on c.parent_id = b.id)`

/** The same for a tree: counts objects whose reference names this one or any below it. */
export const treeCount =
  (id: string, field: string): CountSql =>
  (type, types, from) => {
    const target = types.get(id)!
    return `(${below(from(type))} select count(*) from below b join ${from(target)} c on c.${target.columns[field]} = b.id)`
  }

/** How many objects of the tree lie above, up to the first that is hidden. */
export const treeDepth: CountSql = (type, _, from) =>
  `(with recursive above as (select t.parent_id as id union
      select p.parent_id from ${from(type)} p join above a on p.id = a.id)
    select count(id) from above)`

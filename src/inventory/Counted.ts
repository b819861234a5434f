/** Numbers that are no columns: the database counts them for the objects that somebody reads, by way of an index. */
import type { ObjectType } from "./ObjectType.ts"

/** An SQL expression over `t`, a row of the type. `from` gives the objects of a type that whoever asks may see. */
export type Counted = (type: ObjectType, of: (id: string) => ObjectType, from: (type: ObjectType) => string) => string

/** Objects of a type whose reference names this one. */
export const countOf =
  (id: string, field: string): Counted =>
  (_, of, from) => {
    const target = of(id)
    const { columns, fields } = target
    const column = `c.${columns[field]}`
    const condition = fields[field]!.reference?.many === true ? `${column} @> array[t.id]` : `${column} = t.id`
    return `(select count(*) from ${from(target)} c where ${condition})`
  }

const below = (type: ObjectType) =>
  `with recursive below as (select t.id union all select c.id from ${type.table} c join below b on c.parent_id = b.id)`

/** The same for a tree: of the objects of a type whose reference names this one or any below it. */
export const treeCount =
  (id: string, field: string): Counted =>
  (type, of, from) => {
    const target = of(id)
    return `(${below(type)} select count(*) from below b join ${from(target)} c on c.${target.columns[field]} = b.id)`
  }

/** How many objects of the tree lie above. */
export const treeDepth: Counted = ({ table }) =>
  `(with recursive above as (select t.parent_id as id union all
      select p.parent_id from ${table} p join above a on p.id = a.id)
    select count(id) from above)`

/**
 * Declaration and a condition -> the one statement that reads a page of objects and everything that their
 * representations point at. Pure.
 *
 * Its rows are `type` ("" for the objects themselves, in their order) and `row`. Ids of what is pointed at become lists
 * that Postgres makes from the page once, so each object type pointed at costs one look into its primary key.
 */
import { literal } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { objectType } from "../Registry.ts"
import { nestedFields } from "./Representation.ts"

/** SQL that gives ids of one object type, and how deep inside the representation they stand. */
interface Pointing {
  readonly target: ObjectType
  readonly ids: string
}

/** Most objects inside one another that are read along; deeper ones are read afterwards. */
const depthMax = 4

/** What stands as `type` beside counts of an object, and beside custom fields of its type. */
export const countsMark = "#counts"
export const fieldsMark = "#fields"

/** Statements that were asked for, by page and what is left out: making one takes longer than running it. */
const made = new Map<string, string>()

/** Most statements that are kept; the oldest goes first. */
const madeMax = 1000

/**
 * Reads the objects that `page`, a query over the table of the type, gives, and those that they point at of the types
 * that are `open`; without the objects themselves where they are at hand.
 */
export const readStatement = (
  type: ObjectType,
  page: string,
  open: (target: ObjectType) => boolean,
  withRows = true
): string => {
  const closed = typesWithin(type).filter((target) => !open(target))
  const key = `${page} ${withRows} ${closed.map(({ id }) => id).join(" ")}`
  const known = made.get(key)
  if (known !== undefined) return known
  if (made.size >= madeMax) made.delete(made.keys().next().value!)
  const statement = statementOf(type, page, new Set(closed), withRows)
  made.set(key, statement)
  return statement
}

/** The object types that representations of the type may hold. */
const typesWithin = (type: ObjectType): ReadonlyArray<ObjectType> => {
  const known = within.get(type)
  if (known !== undefined) return known
  const found = new Set<ObjectType>()
  let pointing = pointingFrom(type, Object.keys(type.fields), "")
  for (let depth = 0; depth < depthMax; depth++) {
    for (const { target } of pointing) found.add(target)
    pointing = pointing.flatMap(({ target }) => pointingFrom(target, nestedFields(target), ""))
  }
  within.set(type, [...found])
  return [...found]
}

const within = new Map<ObjectType, ReadonlyArray<ObjectType>>()

const statementOf = (type: ObjectType, page: string, closed: ReadonlySet<ObjectType>, withRows: boolean): string => {
  const branches = [`select '' as type, row_to_json(t) as row from page t${withRows ? "" : " where false"}`]
  const counts = Object.entries(type.counts).map(([name, counted]) => `${literal(name)}, ${counted(type, objectType)}`)
  if (counts.length > 0) {
    const counted = `json_build_object('id', t.id, 'counts', json_build_object(${counts.join(", ")}))`
    branches.push(`select ${literal(countsMark)}, ${counted} from page t`)
  }
  if (Object.hasOwn(type.fields, "custom_fields")) {
    const own = `c.content_types @> array[${literal(type.id)}]`
    branches.push(`select ${literal(fieldsMark)}, row_to_json(c) from extras_customfield c where ${own}`)
  }
  let pointing = pointingFrom(type, Object.keys(type.fields), "page")
  for (let depth = 0; depth < depthMax && pointing.length > 0; depth++) {
    const next: Array<Pointing> = []
    for (const [target, each] of Map.groupBy(pointing, ({ target }) => target)) {
      if (closed.has(target)) continue
      const ids = each.map(({ ids }) => ids).join(" union all ")
      const found = `${target.table} r where r.id = any (array(${ids}))`
      branches.push(`select ${literal(target.id)}, row_to_json(r) from ${found}`)
      next.push(...pointingFrom(target, nestedFields(target), `(select r.* from ${found}) t`))
    }
    pointing = next
  }
  return `with page as materialized (${page}) ${branches.join(" union all ")}`
}

const pointingFrom = (type: ObjectType, names: ReadonlyArray<string>, from: string): ReadonlyArray<Pointing> =>
  names.flatMap((name) => {
    const reference = Object.hasOwn(type.fields, name) ? type.fields[name]!.reference : undefined
    if (reference === undefined) return []
    const column = type.columns[name]
    const ids = reference.many ? `select unnest(${column}) from ${from}` : `select ${column} from ${from}`
    return [{ target: objectType(reference.type), ids }]
  })

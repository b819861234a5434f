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

/** SQL that gives ids of one object type, and how deep inside the representation they stand. */
interface Pointing {
  readonly target: ObjectType
  readonly ids: string
}

/** Most objects inside one another that are read along; deeper ones are read afterwards. */
const depthMax = 4

/** Statements that were asked for, by type and page: making one takes longer than running it. */
const made = new Map<string, string>()

/** Most statements that are kept; the oldest goes first. */
const madeMax = 1000

/** Reads the objects that `page`, a query over the table of the type, gives. */
export const readStatement = (type: ObjectType, page: string): string => {
  const known = made.get(page)
  if (known !== undefined) return known
  if (made.size >= madeMax) made.delete(made.keys().next().value!)
  const statement = statementOf(type, page)
  made.set(page, statement)
  return statement
}

const statementOf = (type: ObjectType, page: string): string => {
  const branches = [`select '' as type, row_to_json(t) as row from page t`]
  let pointing = pointingFrom(type, Object.keys(type.fields), "page")
  for (let depth = 0; depth < depthMax && pointing.length > 0; depth++) {
    const next: Array<Pointing> = []
    for (const [target, each] of Map.groupBy(pointing, ({ target }) => target)) {
      const ids = each.map(({ ids }) => ids).join(" union all ")
      const found = `${target.table} r where r.id = any (array(${ids}))`
      branches.push(`select ${literal(target.id)}, row_to_json(r) from ${found}`)
      next.push(...pointingFrom(target, target.brief, `(select r.* from ${found}) t`))
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

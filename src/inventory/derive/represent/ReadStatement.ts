/**
 * Declaration and a condition -> the one statement that reads a page of objects and everything that their
 * representations refer to. Pure.
 *
 * Its rows are `type` ("" for the objects themselves, in their order) and `row`. Ids of referenced objects become lists
 * that Postgres makes from the page once, so each referenced object type costs one lookup by its primary key.
 */
import { keepNewest } from "../../../eventloop/KeepNewest.ts"
import { literal } from "../../../postgres/Literal.ts"
import { namesThis } from "../../Counted.ts"
import { type ObjectType, type PointedBy, fieldOf, perType } from "../../ObjectType.ts"
import { objectType, registry } from "../../Registry.ts"
import { nestedFields, pointsAlone, stepsBehind } from "./Representation.ts"
import { type Visible, type Where, after, isEverything } from "../filter/Where.ts"

/** SQL that selects ids of one object type. */
export interface Pointing {
  readonly target: ObjectType
  readonly ids: string
}

/** Most objects inside one another that are read along; deeper ones are read afterwards. */
export const depthMax = 4

/** Values of the column `type` in rows that hold counts, custom fields, and the result of the premise. */
export const countsMark = "#counts"
export const fieldsMark = "#fields"
export const premiseMark = "#premise"

/** A statement, and the types whose conditions have parameters, which follow the page's. */
interface Statement {
  readonly sql: string
  readonly bound: ReadonlyArray<ObjectType>
}

/**
 * Statements by their page and visibility: making one takes longer than running it. A pure memo, which services in one
 * process may share: a statement follows from its key.
 */
const made = new Map<string, Statement>()

/** Most statements that are kept; the oldest goes first. */
const madeMax = 1000

/** The parts that a statement reads besides, or leaves out. */
export interface Reading {
  /** Whether it gives the objects themselves; false where they are at hand. */
  readonly withRows?: boolean
  /** The fields whose references are read along, where it is known which ones the objects fill; by default all. */
  readonly fields?: ReadonlyArray<string>
  /**
   * Whether the statement reads visible objects of types of which only some are visible, and those that the named fields
   * refer to with their type. Usually `viewFor` does, which distinguishes the object that is hidden from the field that has none.
   */
  readonly isWhole?: boolean
  /** A condition that it evaluates too. */
  readonly premise?: Where | undefined
}

/**
 * Reads the objects that `page`, a query over the table of the type, gives, and the objects that they point at of the
 * types of which everything is visible. Counted objects are visible.
 */
export const readStatement = (type: ObjectType, page: Where, visible: Visible, reading: Reading = {}): Where => {
  const { withRows = true, fields, isWhole = false, premise } = reading
  const within = isWhole ? typesWithinWhole(type) : typesWithin(type)
  const closed = within.filter((target) => !isEverything(visible(target)))
  const conditions = closed.map((target) => `${target.id} ${visible(target).sql}`)
  const key = [
    page.sql,
    page.parameters.length,
    withRows,
    isWhole,
    fields?.join() ?? "*",
    premise?.sql,
    ...conditions
  ].join(" ")
  const { sql, bound } = made.get(key) ?? statementOf(type, page, visible, reading)
  made.set(key, { sql, bound })
  keepNewest(made, madeMax)
  const seen = bound.flatMap((target) => visible(target).parameters)
  return { sql, parameters: [...page.parameters, ...seen, ...(premise?.parameters ?? [])] }
}

/** The object types that representations of the type may hold, or count. */
const typesWithin = perType((type) => typesFrom(type, pointingFromPage(type)))

/** The same, with the types that fields name for an object. */
const typesWithinWhole = perType((type) =>
  typesFrom(type, [...pointingFromPage(type), ...pointingWithType(type, Object.keys(type.fields), "page")])
)

const typesFrom = (type: ObjectType, first: ReadonlyArray<Pointing>): ReadonlyArray<ObjectType> => {
  const found = new Set<ObjectType>()
  for (const counted of Object.values(type.counts)) {
    counted(type, registry, (target) => {
      found.add(target)
      return target.table
    })
  }
  let pointing = first
  for (let depth = 0; depth < depthMax; depth++) {
    for (const { target } of pointing) found.add(target)
    pointing = pointing.flatMap(({ target }) => pointingFrom(target, nestedFields(target), ""))
  }
  return [...found]
}

const statementOf = (
  type: ObjectType,
  page: Where,
  visible: Visible,
  { withRows = true, fields, isWhole = false, premise }: Reading
): Statement => {
  const bound: Array<ObjectType> = []
  let parameters = page.parameters.length
  const visibleOf = (target: ObjectType): string => {
    const where = visible(target)
    if (isEverything(where)) return target.table
    const condition = after(parameters, where)
    parameters += where.parameters.length
    bound.push(target)
    return `(select t.* from ${target.table} t where ${condition})`
  }
  const branches = [`select '' as type, row_to_json(t) as row from page t${withRows ? "" : " where false"}`]
  const counts = [
    ...Object.entries(type.counts).map(([name, counted]) => [name, counted(type, registry, visibleOf)] as const),
    ...Object.entries(type.pointedBy).map(
      ([name, by]) => [name, `array(${pointingHere(by, visibleOf(objectType(by.type)))})`] as const
    )
  ].map(([name, sql]) => `${literal(name)}, ${sql}`)
  if (counts.length > 0) {
    const counted = `json_build_object('id', t.id, 'counts', json_build_object(${counts.join(", ")}))`
    branches.push(`select ${literal(countsMark)}, ${counted} from page t`)
  }
  if (Object.hasOwn(type.fields, "custom_fields")) {
    const own = `c.content_types @> array[${literal(type.id)}]`
    branches.push(`select ${literal(fieldsMark)}, row_to_json(c) from extras_customfield c where ${own}`)
  }
  let pointing = [...pointingFromPage(type, fields), ...(isWhole ? pointingWithType(type, fields ?? [], "page") : [])]
  for (let depth = 0; depth < depthMax && pointing.length > 0; depth++) {
    const next: Array<Pointing> = []
    for (const [target, each] of Map.groupBy(pointing, ({ target }) => target)) {
      if (!isWhole && !isEverything(visible(target))) continue
      const ids = each.map(({ ids }) => ids).join(" union all ")
      const found = `${visibleOf(target)} r where r.id = any (array(${ids}))`
      branches.push(`select ${literal(target.id)}, row_to_json(r) from ${found}`)
      next.push(...pointingFrom(target, nestedFields(target), `(select r.* from ${found}) t`))
    }
    pointing = next
  }
  if (premise !== undefined) branches.push(`select ${literal(premiseMark)}, null where ${after(parameters, premise)}`)
  return { sql: `with page as materialized (${page.sql}) ${branches.join(" union all ")}`, bound }
}

/** The references of the page's objects, and the further references that their derived values read. */
const pointingFromPage = (
  type: ObjectType,
  fields: ReadonlyArray<string> = Object.keys(type.fields)
): ReadonlyArray<Pointing> => [
  ...pointingFrom(type, fields, "page"),
  ...stepsBehind(type).flatMap(({ name, target, next }) => {
    const behind = `(select r.* from page join ${target.table} r on r.id = page.${type.columns[name]}) t`
    return fields.includes(name) ? pointingFrom(target, next, behind) : []
  }),
  ...Object.values(type.pointedBy).map((by) => {
    const target = objectType(by.type)
    return { target, ids: `select c.id from page t cross join lateral (${pointingHere(by, target.table)}) c` }
  })
]

/** Most objects that are listed because they point at one. */
const pointingMax = 100

/** SQL of the ids of objects that point at `t`. */
const pointingHere = (by: PointedBy, from: string): string => {
  const found = `select c.id from ${from} c where ${by.where ?? namesThis(objectType(by.type), by.field)}`
  return pointsAlone(by) ? found : `${found} order by c.id limit ${pointingMax}`
}

/** The references of these fields, which name the type of an object, to objects of the types that they are declared for. */
const pointingWithType = (type: ObjectType, names: ReadonlyArray<string>, from: string): ReadonlyArray<Pointing> =>
  names.flatMap((name) => {
    const { generic } = fieldOf(type, name)
    return (generic?.types ?? []).map((id) => ({
      target: objectType(id),
      ids: `select ${type.columns[generic!.id]} from ${from} where ${type.columns[name]} = ${literal(id)}`
    }))
  })

export const pointingFrom = (type: ObjectType, names: ReadonlyArray<string>, from: string): ReadonlyArray<Pointing> =>
  names.flatMap((name) => {
    const reference = Object.hasOwn(type.fields, name) ? type.fields[name]?.reference : undefined
    if (reference === undefined) return []
    const column = type.columns[name]
    const { ends } = reference
    if (ends !== undefined) {
      return ends.types.map((id) => ({
        target: objectType(id),
        ids: `select unnest(${column}) from ${from} where ${type.columns[ends.typeIn]} = ${literal(id)}`
      }))
    }
    const ids = reference.many ? `select unnest(${column}) from ${from}` : `select ${column} from ${from}`
    return [{ target: objectType(reference.type), ids }]
  })

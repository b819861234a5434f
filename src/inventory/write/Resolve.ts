/**
 * References of drafts, named by id or by attributes, resolved to ids that exist: one query per object type and way.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared, visibleToSender } from "../Clearance.ts"
import { type Errors, type Messages, type Reference, type Row, isDictionary } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { objectType, registry } from "../Registry.ts"
import type { Draft } from "../derive/values/Draft.ts"
import { namingFields, naturalName } from "../derive/filter/NaturalName.ts"
import { allOf, whereIds } from "../derive/filter/Where.ts"
import type { Target } from "../field/Reference.ts"
import { pythonRepr } from "../name/PythonRepr.ts"

/** `before`: the rows that the drafts change. They may keep references that they already have. */
export const resolveReferences = Effect.fnUntraced(function* (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Row>
) {
  const fields = Object.entries(type.fields).filter(
    ([, { reference }]) => reference !== undefined && reference.ends === undefined
  )
  let resolved = drafts
  for (const [name, { reference }] of fields) {
    const target = objectType(reference!.type)
    const found = new Map<Target, number | string>()
    const named = resolved.flatMap(({ values }, at) => {
      const held = new Set([before[at]?.[name]].flat())
      return targetsIn(values[name]).filter((each) => {
        if (!("id" in each) || !held.has(each.id)) return true
        found.set(each, each.id)
        return false
      })
    })
    if (named.length === 0 && found.size === 0) continue
    const existing = yield* existingIds(target, named)
    // The rows of a file often name the same object.
    const known = new Map<string, number | string>()
    for (const each of named) {
      if ("id" in each) {
        found.set(
          each,
          existing.has(each.id) ? each.id : `Related object not found using the provided numeric ID: ${each.id}`
        )
        continue
      }
      const attributes = JSON.stringify(each.attributes)
      const answer = known.get(attributes) ?? (yield* byAttributes(target, each.attributes))
      known.set(attributes, answer)
      found.set(each, answer)
    }
    resolved = resolved.map((draft) => resolveField(draft, name, reference!, found))
  }
  return resolved
})

/** Checks and locks the objects of generic references: one query per object type named. */
export const resolveGenerics = Effect.fnUntraced(function* (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Row>
) {
  const fields = Object.entries(type.fields).filter(([, field]) => field.generic !== undefined)
  let resolved = drafts
  for (const [name, { generic }] of fields) {
    const idField = generic!.id
    const named = resolved.map(({ values }, at) =>
      changes(values, before[at], name) || changes(values, before[at], idField)
        ? { type: valueOf(name, values, before[at]), id: valueOf(idField, values, before[at]) }
        : undefined
    )
    const existing = new Map<string, ReadonlySet<number>>()
    for (const [id, targets] of Map.groupBy(named, (each) => String(each?.type))) {
      const target = registry.get(id)
      if (target === undefined || target.kind !== "object") continue
      const ids = targets.flatMap((each) => (typeof each?.id === "number" ? [{ id: each.id }] : []))
      existing.set(id, yield* existingIds(target, ids))
    }
    resolved = resolved.map((draft, at) => {
      const wrong = named[at] === undefined ? {} : genericErrors(name, idField, named[at], existing)
      return Object.keys(wrong).length === 0 ? draft : { ...draft, errors: { ...wrong, ...draft.errors } }
    })
  }
  return resolved
})

/** The value that a field will have. */
const valueOf = (name: string, values: Draft["values"], before: Row | undefined): unknown =>
  (Object.hasOwn(values, name) ? values[name] : before?.[name]) ?? null

const changes = (values: Draft["values"], before: Row | undefined, name: string): boolean =>
  Object.hasOwn(values, name) && (before === undefined || values[name] !== before[name])

const genericErrors = (
  typeField: string,
  idField: string,
  { type, id }: { readonly type: unknown; readonly id: unknown },
  existing: ReadonlyMap<string, ReadonlySet<number>>
): Errors => {
  if (type === null && id === null) return {}
  if (id === null) return { [idField]: [`Cannot set ${typeField} without ${idField}.`] }
  if (type === null) return { [typeField]: [`Cannot set ${idField} without ${typeField}.`] }
  const ids = existing.get(String(type))
  if (ids === undefined) return { [typeField]: [`Invalid content type: ${String(type)}`] }
  return ids.has(Number(id))
    ? {}
    : { [idField]: [`Related object not found using the provided numeric ID: ${String(id)}`] }
}

const targetsIn = (value: unknown): ReadonlyArray<Target> => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? (value as ReadonlyArray<Target>) : [value as Target]
}

const resolveField = (
  draft: Draft,
  name: string,
  reference: Reference,
  found: ReadonlyMap<Target, number | string>
): Draft => {
  const value = draft.values[name]
  const targets = targetsIn(value)
  if (targets.length === 0) return draft
  const answers = targets.map((target) => found.get(target)!)
  const isWrong = answers.some((answer) => typeof answer === "string")
  const errors = isWrong ? { ...draft.errors, [name]: toldOf(targets, answers, reference) } : draft.errors
  const ids = Array.isArray(value) ? [...new Set(answers as ReadonlyArray<number>)].sort((a, b) => a - b) : answers[0]
  return { errors, values: { ...draft.values, [name]: ids } }
}

/** The faults of the objects of a reference: each of them for tags, the first for other lists. */
const toldOf = (
  targets: ReadonlyArray<Target>,
  answers: ReadonlyArray<number | string>,
  { many, isNested }: Reference
): Messages => {
  if (isNested === true) return answers.map((answer) => (typeof answer === "string" ? [answer] : {}))
  const messages = answers.flatMap((answer, at) => {
    const target = targets[at]!
    if (typeof answer === "number") return []
    return [many && "id" in target ? `Invalid pk "${target.id}" - object does not exist.` : answer]
  })
  return messages.slice(0, 1)
}

export const existingIds = Effect.fnUntraced(function* (target: ObjectType, named: Iterable<Target>) {
  const sql = yield* SqlClient.SqlClient
  const ids = [...named].flatMap((each) => ("id" in each ? [each.id] : []))
  if (ids.length === 0) return new Set<number>()
  const where = allOf(whereIds(ids), yield* cleared(target, "refer"))
  // Locked, so that they still exist when the row that refers to them is written.
  const rows = yield* sql.unsafe<{ readonly id: string }>(
    `select id::text as id from ${target.table} t where ${where.sql} for key share`,
    where.parameters
  )
  return new Set(rows.map(({ id }) => Number(id)))
})

/** Attributes of attributes by Django's names: `{rack: {name: "R"}}` -> `{rack__name: "R"}`. */
const flattened = (attributes: Readonly<Record<string, unknown>>, prefix = ""): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      isDictionary(value) ? Object.entries(flattened(value, `${prefix}${name}__`)) : [[`${prefix}${name}`, value]]
    )
  )

/** The id of the one visible object with these attributes; or why it is not found. */
export const byAttributes = Effect.fnUntraced(function* (
  target: ObjectType,
  attributes: Readonly<Record<string, unknown>>
) {
  const shown = pythonRepr(flattened(attributes))
  const notFound = `Related object not found using the provided attributes: ${shown}`
  const named = naturalName(target, attributes, yield* visibleToSender)
  if ("unknown" in named) return `${notFound}. ${howToName(named.type)}`
  const sql = yield* SqlClient.SqlClient
  const where = allOf(named.where, yield* cleared(target, "refer"))
  const rows = yield* sql.unsafe<{ readonly id: string }>(
    `select t.id::text as id from ${target.table} t where ${where.sql} limit 2 for key share`,
    where.parameters
  )
  if (rows.length > 1) return `Multiple objects match the provided attributes: ${shown}`
  return rows[0] === undefined ? notFound : Number(rows[0].id)
})

/** The same for all requests: it depends on the declaration alone. */
const howToName = (type: ObjectType): string =>
  `Objects of type ${type.id} are named by exact values of: ${["id", ...namingFields(type)].join(", ")}.`

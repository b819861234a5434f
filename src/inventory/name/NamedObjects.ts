/**
 * References that rows of a file make by a text: an id, or the name, slug or another value by which people know an
 * object. One query per reference and portion of rows.
 *
 * Where several objects have the name, those of the same site, device and so on as the row are meant. A text that still
 * names several objects is refused; one that names none is left to Resolve.ts, which tells why.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../Clearance.ts"
import { type Errors, type Field, idIn, isDictionary, pythonRepr } from "../Field.ts"
import { type ObjectType, columnOf, fieldOf, perType } from "../ObjectType.ts"
import { objectType } from "../Registry.ts"
import { isOfGeneric, namingFields } from "../derive/filter/NaturalName.ts"
import { kindOf } from "../derive/filter/Lookup.ts"
import { naturalKey } from "../derive/filter/Path.ts"
import { type Bind, visibleRows } from "../derive/filter/Where.ts"
import { mapNames } from "../derive/represent/ImportedRow.ts"
import { uniquesOf } from "../derive/table/Table.ts"
import { byIds } from "../read/Read.ts"
import { byAttributes } from "../write/Resolve.ts"

/** References to objects that others lie in. Two objects with the same name are told apart by them. */
const containers: ReadonlyArray<string> = [
  ..."site location rack manufacturer provider power_panel cluster device virtual_machine vrf".split(" ")
]

/** Most objects with the same name that are read. */
const candidatesMax = 20

const containersOf = perType((type) =>
  containers.filter((name) => Object.hasOwn(type.fields, name) && fieldOf(type, name).reference?.many === false)
)

/** The fields by whose values a text may name an object of the type, the usual one first. */
const nameKeys = perType((type): ReadonlyArray<string> => {
  const unique = new Set(uniquesOf(type).flatMap(({ fields }) => fields))
  const named = namingFields(type).filter((name) => /^(text|number|network)$/.test(kindOf(fieldOf(type, name)) ?? ""))
  const isName = (name: string) => {
    const field = fieldOf(type, name)
    if (kindOf(field) === "number") return field.unique || type.brief.includes(name)
    return unique.has(name) || /^(name|slug)$/.test(name) || name === type.key || kindOf(field) === "network"
  }
  const keys = named.filter((name) => !isOfGeneric(type, name) && isName(name))
  const usual = naturalKey(type)
  return keys.length === 0
    ? named
    : [...keys.filter((name) => name === usual), ...keys.filter((name) => name !== usual)]
})

/** The ids of the containers of a row, by the name of the reference. */
type Surroundings = Record<string, number>

interface Rows {
  readonly bodies: ReadonlyArray<Record<string, unknown> | undefined>
  readonly around: ReadonlyArray<Surroundings>
  readonly errors: ReadonlyArray<Record<string, ReadonlyArray<string>>>
}

/** The bodies with ids in place of texts. A reference that is refused is in the errors and no longer in its body. */
export const resolveNames = Effect.fnUntraced(function* (type: ObjectType, given: ReadonlyArray<unknown>) {
  const bodies = given.map((body) => (isDictionary(body) ? { ...body } : undefined))
  const rows: Rows = { bodies, around: given.map(() => ({})), errors: given.map(() => ({})) }
  yield* addContainers(rows, type, (body) => idIn(body["id"]))
  const own = containersOf(type)
  for (const name of own) {
    yield* resolveField(rows, type, name)
    for (const [at, body] of bodies.entries()) {
      const id = yield* idOfContainer(type, name, body?.[name])
      if (id !== undefined) rows.around[at]![name] = id
    }
  }
  for (const name of own) yield* addContainers(rows, targetOf(type, name), (_, around) => around[name])
  const others = Object.keys(type.fields).filter((name) => fieldOf(type, name).reference !== undefined)
  for (const name of others) if (!own.includes(name)) yield* resolveField(rows, type, name)
  return { bodies: given.map((body, at) => bodies[at] ?? body), errors: rows.errors as ReadonlyArray<Errors> }
})

const targetOf = (type: ObjectType, name: string): ObjectType => objectType(fieldOf(type, name).reference!.type)

/** Adds the containers of the objects of these ids to those that the rows name themselves. */
const addContainers = Effect.fnUntraced(function* (
  { bodies, around }: Rows,
  type: ObjectType,
  idOf: (body: Record<string, unknown>, around: Surroundings) => number | undefined
) {
  const names = containersOf(type)
  const ids = bodies.map((body, at) => (body === undefined ? undefined : idOf(body, around[at]!)))
  const wanted = new Set(ids.filter((id) => id !== undefined))
  if (names.length === 0 || wanted.size === 0) return
  const found = new Map((yield* byIds(type, wanted)).map((row) => [row.id, row]))
  for (const [at, id] of ids.entries()) {
    const row = id === undefined ? undefined : found.get(id)
    for (const name of names) if (typeof row?.[name] === "number") around[at]![name] ??= row[name]
  }
})

const idOfContainer = Effect.fnUntraced(function* (type: ObjectType, name: string, value: unknown) {
  const id = idIn(isDictionary(value) && "id" in value ? value["id"] : value)
  if (id !== undefined || !isDictionary(value)) return id
  const found = yield* byAttributes(targetOf(type, name), value)
  return typeof found === "number" ? found : undefined
})

/** A value that names an object: by any of its names, or by this attribute. */
interface Name {
  readonly text: string
  readonly key: string | undefined
}

const nameIn = (value: unknown): Name | undefined => {
  if (typeof value === "string") return { text: value.trim(), key: undefined }
  if (!isDictionary(value)) return undefined
  const [[key, text] = ["", undefined], ...others] = Object.entries(value)
  const isOne = others.length === 0 && (typeof text === "string" || typeof text === "number")
  return isOne ? { text: String(text).trim(), key } : undefined
}

const resolveField = Effect.fnUntraced(function* ({ bodies, around, errors }: Rows, type: ObjectType, name: string) {
  const reference = fieldOf(type, name).reference!
  const target = objectType(reference.type)
  const places = containersOf(target)
  const named = new Map<
    string,
    { readonly name: Name; readonly around: Surroundings; answer?: number | string | undefined }
  >()
  const keyOf = (each: Name, at: number) =>
    JSON.stringify([each.key, each.text, ...places.map((place) => around[at]![place])])
  const visit = (map: (each: Name, at: number, value: unknown) => unknown) => {
    for (const [at, body] of bodies.entries()) {
      if (body === undefined || !Object.hasOwn(body, name)) continue
      body[name] = mapNames(reference, body[name], (value) => {
        const found = nameIn(value)
        return found === undefined ? value : map(found, at, value)
      })
    }
  }
  visit((each, at, value) => {
    named.set(keyOf(each, at), { name: each, around: around[at]! })
    return value
  })
  if (named.size === 0) return
  const asked = [...named.values()]
  const candidates = yield* candidatesFor(target, asked)
  for (const [at, each] of asked.entries()) each.answer = decide(target, each.name, candidates[at]!)
  visit((each, at, value) => {
    const { answer } = named.get(keyOf(each, at))!
    if (typeof answer === "string") errors[at]![name] = [answer]
    if (typeof answer === "number") return answer
    return each.key === undefined && !/^\d+$/.test(each.text) ? { [naturalKey(target)]: each.text } : value
  })
  for (const [at, body] of bodies.entries()) if (Object.hasOwn(errors[at]!, name)) delete body![name]
})

/**
 * The id of the object that is meant; why the name is refused; undefined if no object has it. Candidates are those of
 * the best place, in the order of their keys.
 */
const decide = (target: ObjectType, { text, key }: Name, candidates: ReadonlyArray<Candidate>) => {
  const byId = key === undefined || key === "id" ? candidates.find(({ id }) => String(id) === text) : undefined
  const keys = nameKeys(target).filter((each) => key === undefined || each === key)
  const used = keys.find((each) => candidates.some(({ by }) => by.includes(each)))
  const byName = used === undefined ? [] : nearest(candidates.filter(({ by }) => by.includes(used)))
  if (byId !== undefined) {
    const other = byName.find(({ id }) => id !== byId.id)
    return other === undefined
      ? byId.id
      : `${text} is the id of one object and the ${used} of another. Say which, with \`id\` or \`${used}\`.`
  }
  if (byName.length <= 1) return byName[0]?.id
  return `Multiple objects match the provided attributes: ${pythonRepr({ [used!]: text })}. Name one by more attributes.`
}

interface Candidate {
  readonly id: number
  /** The keys by which the text names it. */
  readonly by: ReadonlyArray<string>
  /** How many containers it shares with the row. */
  readonly shared: number
}

const nearest = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => {
  const most = Math.max(...candidates.map(({ shared }) => shared))
  return candidates.filter(({ shared }) => shared === most)
}

/** For each name the objects that it may mean: none that lies in another container than the row. */
const candidatesFor = Effect.fnUntraced(function* (
  target: ObjectType,
  asked: ReadonlyArray<{ readonly name: Name; readonly around: Surroundings }>
) {
  const found = asked.map((): Array<Candidate> => [])
  const keys = nameKeys(target)
  const places = containersOf(target)
  const refer = yield* cleared(target, "refer")
  const wanted = asked.map(({ name: { text, key }, around }, n) => ({
    n,
    id: (key ?? "id") === "id" && /^\d{1,15}$/.test(text) ? text : null,
    ...Object.fromEntries(
      keys.map((each, at) => [`k${at}`, (key ?? each) === each ? canonicalText(fieldOf(target, each), text) : null])
    ),
    ...Object.fromEntries(places.map((place, at) => [`c${at}`, around[place]]))
  }))
  const parameters: Array<unknown> = [JSON.stringify(wanted)]
  const bind: Bind = (value) => `$${parameters.push(value)}`
  const columns = [
    "n int, id bigint",
    ...keys.map((key, at) => `k${at} ${fieldOf(target, key).type}`),
    ...places.map((_, at) => `c${at} bigint`)
  ]
  const isNamed = keys.map((key, at) => `coalesce(t.${columnOf(target, key)} = u.k${at}, false)`)
  const isShared = places.map((place, at) => `coalesce(t.${columnOf(target, place)} = u.c${at}, false)`)
  const isNear = places.map((place, at) => `coalesce(t.${columnOf(target, place)} = u.c${at}, true)`)
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{
    readonly n: number
    readonly id: string
    readonly named: string
    readonly shared: number
  }>(
    `select u.n, c.id::text as id, c.named, c.shared
       from jsonb_to_recordset($1::jsonb) as u(${columns.join(", ")})
      cross join lateral (
        select t.id, concat_ws(',', ${isNamed.map((each, at) => `case when ${each} then '${keys[at]}' end`).join(", ")}) as named,
               ${["0", ...isShared.map((each) => `${each}::int`)].join(" + ")} as shared
          from ${visibleRows(target, () => refer, bind)} t
         where t.id = u.id or (${isNamed.map((_, at) => `t.${columnOf(target, keys[at]!)} = u.k${at}`).join(" or ") || "false"}) and ${["true", ...isNear].join(" and ")}
         order by shared desc, t.id limit ${candidatesMax}) c`,
    parameters
  )
  for (const { n, id, named, shared } of rows) found[n]!.push({ id: Number(id), by: named.split(","), shared })
  return found
})

/** The text as Postgres compares it; null if the field can have no such value. */
const canonicalText = (field: Field, text: string): string | null => {
  const parsed = field.parse(text)
  return "value" in parsed && parsed.value !== null && parsed.value !== "" ? String(parsed.value) : null
}

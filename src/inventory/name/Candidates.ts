/**
 * The objects that a text of a file may mean, and which of them it means: one query for all texts of a reference.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { cleared } from "../Clearance.ts"
import { type Field } from "../Field.ts"
import { type ObjectType, columnOf, fieldOf, perType } from "../ObjectType.ts"
import { kindOf } from "../derive/filter/Lookup.ts"
import { isOfGeneric, namingFields } from "../derive/filter/NaturalName.ts"
import { naturalKey } from "../derive/filter/Path.ts"
import { type Bind, visibleRows } from "../derive/filter/Where.ts"
import { uniquesOf } from "../derive/table/TableOf.ts"
import { pythonRepr } from "./PythonRepr.ts"

/** References to objects that others lie in. They distinguish two objects with the same name. */
const containers: ReadonlyArray<string> = [
  ..."site location rack manufacturer provider power_panel cluster device virtual_machine vrf".split(" ")
]

/** Most objects with the same name that are read. */
const candidatesMax = 20

/** The references of a type to containers. */
export const containersOf = perType((type) =>
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

/** Whether an attribute names an object by itself. */
export const isNameKey = (type: ObjectType, key: string): boolean => key === "id" || nameKeys(type).includes(key)

/** The ids of the containers of a row, by the name of the reference. */
export type Surroundings = Record<string, number>

/** A value that names an object: by any of its names, or by this attribute. */
export interface Name {
  readonly text: string
  readonly key: string | undefined
}

/**
 * The id of the object that is meant; why the name is refused; undefined if no object has it. Candidates are those of
 * the best place, in the order of their keys.
 */
export const decide = (target: ObjectType, { text, key }: Name, candidates: ReadonlyArray<Candidate>) => {
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
export const candidatesFor = Effect.fnUntraced(function* (
  target: ObjectType,
  asked: ReadonlyArray<{ readonly name: Name; readonly around: Surroundings }>
) {
  const found = asked.map((): Array<Candidate> => [])
  const keys = nameKeys(target)
  const places = containersOf(target)
  const refer = yield* cleared(target, "refer")
  const wanted = yield* mapInSlices(asked, ({ name: { text, key }, around }, n) => ({
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
  const isNear = places.map((place, at) => {
    const isSame = `t.${columnOf(target, place)} = u.c${at}`
    // Without `coalesce` an index answers: of names such as `eth0` each device has one.
    const isKnown = !fieldOf(target, place).nullable && asked.every(({ around }) => around[place] !== undefined)
    return isKnown ? isSame : `coalesce(${isSame}, true)`
  })
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
         order by ${["coalesce(t.id = u.id, false)", ...isNamed.slice(0, 1)].join(" desc, ")} desc, shared desc, t.id limit ${candidatesMax}) c`,
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

/**
 * Bonds between objects (Rule.ts) in a write: checks the written rows first, and explains the refusal of a trigger that
 * found a bond of another object broken.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { sqlStateOf } from "../../../postgres/Postgres.ts"
import type { Row } from "../../Field.ts"
import type { Find, ObjectType } from "../../ObjectType.ts"
import { registry } from "../../Registry.ts"
import { type Bond, bondState, concerns } from "../../Rule.ts"
import { constraintName } from "../../derive/table/BondTriggers.ts"
import { columnsOf } from "../../derive/values/Row.ts"
import { byIds, viewFor } from "../../read/Read.ts"
import type { Conflict } from "../Unique.ts"

/** The bonds that rows would break, as they would be stored. */
export const brokenBonds = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  before: ReadonlyArray<Row>,
  find: Find
) {
  const isChecked = rows.map((row, at) =>
    type.bonds.map(
      (bond) =>
        bond.errors !== undefined &&
        !(bond.sparesNew === true && before[at] === undefined) &&
        concerns(ownFields(type, bond), row, before[at])
    )
  )
  if (!isChecked.some((bonds) => bonds.includes(true))) return []
  const sql = yield* SqlClient.SqlClient
  const cases = type.bonds.map(({ broken }, number) => `case when ${broken} then ${number} end`)
  const found = yield* sql.unsafe<{ readonly at: number; readonly broken: ReadonlyArray<number> }>(
    `select j.ordinality::int - 1 as at, array_remove(array[${cases.join(", ")}], null)::int[] as broken
       from jsonb_populate_recordset(null::${type.table}, $1::jsonb) with ordinality j`,
    [JSON.stringify(rows.map((row) => columnsOf(type, row)))]
  )
  return found.flatMap(({ at, broken }): ReadonlyArray<Conflict> => {
    const first = broken.find((number) => isChecked[at]![number])
    return first === undefined ? [] : [{ at, errors: type.bonds[first]!.errors!(rows[at]!, find) }]
  })
})

/** The fields of the type itself that a bond depends on, those of its other side included. */
const ownFields = (type: ObjectType, { fields, others }: Bond): ReadonlyArray<string> => [
  ...fields,
  ...others.flatMap((other) => (other.type === type.id ? other.fields : []))
]

interface BondRefusal {
  /** The object that cannot change, and the field that the message is about. */
  readonly id: number
  readonly field: string
  readonly message: string
}

/** The refusal of a trigger because of a bond of the type's, or of another object's; undefined for any other error. */
export const bondRefusal = (type: ObjectType, error: SqlError.SqlError): BondRefusal | undefined => {
  const cause = error.reason.cause as Readonly<Record<"column" | "constraint" | "message" | "detail", string>>
  const own = type.bonds.find((bond) => constraintName(type, bond) === cause.constraint)
  const field = sqlStateOf(error) === bondState ? cause.column : own?.fields[0]
  return field === undefined
    ? undefined
    : { id: Number(/#(\d+)/.exec(cause.detail)?.[1]), field, message: cause.message }
}

/** A message of a trigger with the names of objects that the sender may view in place of their types. */
export const withNames = Effect.fnUntraced(function* (message: string) {
  let named = message
  for (const [text, id, number] of message.matchAll(/([a-z]+\.[a-z]+) (#\d+)/g)) {
    const type = registry.get(id!)
    if (type === undefined) continue
    const rows = yield* byIds(type, [Number(number!.slice(1))])
    const view = yield* viewFor(type, rows, "")
    const [name = number!] = rows.map((row) => type.display(row, view))
    named = named.replace(text, () => name)
  }
  return named
})

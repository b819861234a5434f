/**
 * Texts with hidden secrets (`hides` of a field): put together from what is shown and what is kept sealed, and taken
 * apart again when they are stored.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Vault } from "../Vault.ts"
import { parseExactly } from "../../postgres/ExactJson.ts"
import type { Messages, Row } from "../Field.ts"
import { literal } from "../../postgres/Literal.ts"
import { type ObjectType, columnOf, fieldOf, perType } from "../ObjectType.ts"
import type { Draft } from "../derive/values/Draft.ts"
import { repointed } from "./Repointed.ts"
import { type Hiding, type HiddenValues, hiddenMark } from "../field/hidden/Hiding.ts"

type Values = Readonly<Record<string, unknown>>

/** Fields whose secrets are hidden, with the fields that keep them. */
const hidingFields = perType(({ fields }) =>
  Object.entries(fields).flatMap(([name, { hides }]) => (hides === undefined ? [] : [{ name, ...hides }]))
)

/** Returns the plain text of a sealed one; undefined if it cannot be opened, as where plain SQL wrote another text. */
const hiddenIn = (sealed: unknown, { open }: Vault["Service"]): HiddenValues | undefined => {
  if (typeof sealed !== "string" || sealed === "") return []
  try {
    const found: unknown = JSON.parse(open(sealed) ?? "")
    return Array.isArray(found) && found.every(isPair) ? found : undefined
  } catch {
    return undefined
  }
}

const isPair = (item: unknown): item is readonly [string, string] =>
  Array.isArray(item) && item.length === 2 && item.every((part) => typeof part === "string")

const sealedOf = (hidden: HiddenValues, { seal }: Vault["Service"]): string =>
  hidden.length === 0 ? "" : seal(JSON.stringify(hidden))

/**
 * The whole text of a field of a row as it was read; undefined when its secrets were sealed with an unknown key, or
 * plain SQL has written a mark in place of a secret that there is none of.
 */
export const wholeText = (type: ObjectType, row: Row, name: string, vault: Vault["Service"]): string | undefined => {
  const { keptIn, reveal } = fieldOf(type, name).hides!
  const hidden = hiddenIn(row[keptIn], vault)
  const whole = hidden === undefined ? undefined : reveal(String(row[name]), hidden)
  return whole !== undefined && "text" in whole ? whole.text : undefined
}

/** Rows with their texts as they were written, as far as they can be read; for rules about them. */
export const withWholeTexts = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  const fields = hidingFields(type)
  if (fields.length === 0) return rows
  const vault = yield* Vault
  return rows.map((row): Row => {
    const whole = fields.map(({ name }) => [name, wholeText(type, row, name, vault) ?? row[name]] as const)
    return { ...row, ...Object.fromEntries(whole) }
  })
})

/**
 * Replaces marks of hidden values that a client sends back with the values of the row as it is. Refuses to keep secrets
 * that would be sent elsewhere.
 */
export const withKeptSecrets = Effect.fnUntraced(function* (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Row>
) {
  const fields = hidingFields(type)
  if (fields.length === 0) return drafts
  const vault = yield* Vault
  const whole = yield* withWholeTexts(type, before)
  return drafts.map((draft, at): Draft => {
    const values: Record<string, unknown> = { ...draft.values }
    const errors: Record<string, Messages> = { ...draft.errors }
    for (const { name, keptIn, reveal } of fields) {
      if (typeof values[name] !== "string") continue
      const revealed = reveal(values[name], hiddenIn(before[at]?.[keptIn], vault) ?? [])
      const of = "missing" in revealed && revealed.missing !== "" ? ` for ${revealed.missing}` : ""
      if ("text" in revealed) values[name] = revealed.text
      else errors[name] = [`No value is kept${of}: write it instead of ${hiddenMark}.`]
    }
    const row = whole[at]
    const moved = row === undefined ? {} : repointed(type, { before: row, said: draft.values, meant: values })
    return { values, errors: { ...moved, ...errors } }
  })
})

/** Values as they are stored: secrets of texts taken out and sealed. */
export const withoutSecrets = <A extends Values>(type: ObjectType, value: A, vault: Vault["Service"]): A => {
  const stored: Record<string, unknown> = { ...value }
  for (const { name, keptIn, hide } of hidingFields(type)) {
    if (typeof value[name] !== "string") continue
    const { shown, hidden } = hide(value[name])
    stored[name] = shown
    stored[keptIn] = sealedOf(hidden, vault)
  }
  return stored as A
}

/** Whether objects of the type have texts with hidden secrets. */
export const hasHidden = (type: ObjectType): boolean => hidingFields(type).length > 0

/** SQL: whether a text may hold a secret. */
const mayHold = (text: string, sign: string): string => `(${text} <> '' and strpos(${text}, ${literal(sign)}) > 0)`

/**
 * Seals what plain SQL has written in the clear, in the rows of these ids or in all, and returns in how many. Where
 * plain SQL replaced some of the secrets the others are kept.
 */
export const sealHidden = Effect.fnUntraced(function* (type: ObjectType, ids?: ReadonlyArray<number>) {
  let count = 0
  for (const { name, keptIn, hide, reveal, sign } of hidingFields(type)) {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const [text, kept] = [columnOf(type, name), columnOf(type, keptIn)]
    const rows = yield* sql.unsafe<{ readonly id: string; readonly text: string; readonly kept: string }>(
      `select id::text as id, ${text} as text, ${kept} as kept from ${type.table}
        where ${mayHold(text, sign)}${ids === undefined ? "" : " and id = any ($1::text[]::bigint[])"}`,
      ids === undefined ? [] : [ids.map(String)]
    )
    for (const row of rows.filter((row) => hide(row.text).hidden.length > 0)) {
      const whole = reveal(row.text, hiddenIn(row.kept, vault) ?? [])
      const { shown, hidden } = hide("text" in whole ? whole.text : row.text)
      // Leaves a value that has changed meanwhile.
      yield* sql.unsafe(
        `update ${type.table} set ${text} = $1, ${kept} = $2 where id = $3::bigint and ${text} = $4 and ${kept} = $5`,
        [shown, sealedOf(hidden, vault), row.id, row.text, row.kept]
      )
      count += 1
    }
  }
  return count
})

/** Hides secrets that an earlier version wrote to the change log in the clear; returns in how many changes. */
export const hideLogged = Effect.fnUntraced(function* (type: ObjectType) {
  let count = 0
  for (const { name, hide, sign } of hidingFields(type)) {
    const sql = yield* SqlClient.SqlClient
    const has = loggedTexts.map((each) => mayHold(`(${each}->>${literal(name)})`, sign))
    const rows = yield* sql.unsafe<Record<"id" | (typeof loggedTexts)[number], string>>(
      `select id::text as id, ${loggedTexts.map((each) => `${each}::text as ${each}`).join(", ")}
         from extras_objectchange where changed_object_type = $1 and (${has.join(" or ")})`,
      [type.id]
    )
    for (const row of rows) {
      const hidden = loggedTexts.map((each) => withHidden(row[each], name, hide))
      if (hidden.every((text, at) => text === row[loggedTexts[at]!])) continue
      const sets = loggedTexts.map((each, at) => `${each} = $${at + 2}::text::json`)
      yield* sql.unsafe(`update extras_objectchange set ${sets.join(", ")} where id = $1::bigint`, [row.id, ...hidden])
      count += 1
    }
  }
  return count
})

const loggedTexts = ["data", "prechange_data", "postchange_data"] as const

/** A text without secrets stays to the letter. */
const withHidden = (json: string, name: string, hide: Hiding["hide"]): string => {
  const object = parseExactly(json) as Record<string, unknown> | null
  if (typeof object?.[name] !== "string") return json
  const { shown, hidden } = hide(object[name])
  return hidden.length === 0 ? json : JSON.stringify({ ...object, [name]: shown })
}

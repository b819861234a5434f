/**
 * The column of a file by which a row claims a reference of another object (BackReference.ts): `is_primary` of an IP
 * address sets the primary address of its device. The claims are written after all rows.
 */
import { Effect } from "effect"
import { authorize } from "../../../auth/Permission.ts"
import { type Dictionary, type Errors, idIn, isDictionary, textsIn } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { objectType } from "../../../inventory/Registry.ts"
import { naturalKey } from "../../../inventory/derive/filter/Path.ts"
import { withNamedAttributes } from "../../../inventory/derive/represent/ImportedRow.ts"
import { flag } from "../../../inventory/field/Scalar.ts"
import { backColumn, backReferencesTo } from "../../../inventory/name/BackReference.ts"
import { usualHolders } from "../../../inventory/name/Holders.ts"
import { byAttributes } from "../../../inventory/write/Resolve.ts"
import { WriteRefused } from "../../../inventory/write/WriteRefused.ts"
import { type WrittenRow, updateAll } from "./Writes.ts"
import type { Request } from "../../wire/Request.ts"

/** `true`: the holder that is usual. Otherwise the one with this name, under the key of its type. */
type Claim = true | { readonly key: string; readonly name: unknown }

export interface Claiming {
  /** Number of the row in the file. */
  readonly row: number
  /** The object of the row. */
  readonly id: number
  readonly claim: Claim
}

const truth = flag({ default: false })

/** A body without its claim, the claim, and why it is refused. `false` claims nothing, and takes nothing back. */
export const takeClaim = (type: ObjectType, body: unknown) => {
  const column = backColumn(type)
  if (column === undefined || !isDictionary(body) || !Object.hasOwn(body, column)) return { body }
  const { [column]: value, ...rest } = body
  if (value === null || value === "") return { body: rest }
  const keys = keysOf(type)
  const [[key, name] = ["", undefined], ...others] = isDictionary(value) ? Object.entries(value) : []
  if (keys.includes(key) && others.length === 0) return { body: rest, claim: { key, name } satisfies Claim }
  const parsed = truth.parse(typeof value === "string" ? value.trim() : value)
  if ("value" in parsed) return parsed.value === true ? { body: rest, claim: true as const } : { body: rest }
  const named = keys.map((each) => `{"${each}": "…"}`).join(" or ")
  return { body: rest, errors: { [column]: [`Use true or false, or name an object: ${named}.`] } satisfies Errors }
}

const keysOf = (type: ObjectType): ReadonlyArray<string> => [...new Set(backReferencesTo(type).map(({ key }) => key))]

/** Changes of a holder that rows claim. */
interface Change {
  readonly body: Record<string, number>
  /** The row that claims each field. */
  readonly rows: Record<string, number>
}

/** Most holders that are updated at once. */
const updatedMax = 500

/** Writes the claims. Returns the changes, and why a claim is refused, by row. Fails with 403. */
export const writeClaims = Effect.fnUntraced(function* (
  type: ObjectType,
  claims: ReadonlyArray<Claiming>,
  request: Request
) {
  const errors = new Map<number, string>()
  const written: Array<WrittenRow> = []
  const open = new Set(claims.map(({ row }) => row))
  const ids = claims.map(({ id }) => id)
  for (const [holderId, own] of Map.groupBy(backReferencesTo(type), ({ holder }) => holder)) {
    const holder = objectType(holderId)
    const changes = new Map<number, Change>()
    for (const back of claims.length === 0 ? [] : own) {
      const usual = yield* usualHolders(type, back, ids)
      for (const { row, id, claim } of claims) {
        if (!usual.has(id)) continue
        const isNamed = claim !== true && claim.key === back.key
        const found = claim === true ? usual.get(id)! : isNamed ? yield* idOf(holder, claim.name) : null
        if (found === null) continue
        open.delete(row)
        if (typeof found === "string") {
          errors.set(row, found)
          continue
        }
        const change = changes.get(found) ?? { body: {}, rows: {} }
        changes.set(found, change)
        const earlier = change.rows[back.field]
        if (earlier !== undefined) errors.set(row, `Row ${earlier} says the same of the ${holder.label}.`)
        else [change.body[back.field], change.rows[back.field]] = [id, row]
      }
    }
    if (changes.size === 0) continue
    yield* authorize(request.principal, "POST", "change", holder)
    const all = [...changes]
    for (let from = 0; from < all.length; from += updatedMax) {
      const part = all.slice(from, from + updatedMax)
      const items = part.map(([id, { body }]) => ({ id, body }))
      const rows = yield* updateAll(holder, items, request).pipe(
        Effect.catchIf(
          (error): error is WriteRefused => error instanceof WriteRefused,
          (refused) =>
            Effect.sync((): ReadonlyArray<WrittenRow> => {
              for (const [at, [, { rows }]] of part.entries()) tell(errors, rows, refused.errors[at] ?? {})
              return []
            })
        )
      )
      written.push(...rows)
    }
  }
  const example = keysOf(type).map((each) => `{"${each}": "…"}`)
  const words = new Set(
    backReferencesTo(type).flatMap(({ key, usual }) => (usual === undefined ? [] : [key.replaceAll("_", " ")]))
  )
  for (const row of open) {
    errors.set(
      row,
      `It belongs to no ${[...words].join(" or ")}. Assign it to one, or name one: ${example.join(" or ")}.`
    )
  }
  return { written, errors: errors as ReadonlyMap<number, string> }
})

/** The errors of a holder, to the rows that claim its fields. */
const tell = (errors: Map<number, string>, rows: Change["rows"], refused: Errors): void => {
  for (const [name, messages] of Object.entries(refused)) {
    for (const row of Object.hasOwn(rows, name) ? [rows[name]!] : Object.values(rows)) {
      errors.set(row, `${name}: ${textsIn(messages).join(" ")}`)
    }
  }
}

/** The id of the object with this name; why there is none. */
const idOf = (holder: ObjectType, name: unknown) => {
  const id = idIn(name)
  if (id !== undefined) return Effect.succeed(id)
  const attributes: Dictionary = isDictionary(name) ? withNamedAttributes(holder, name) : { [naturalKey(holder)]: name }
  return byAttributes(holder, attributes)
}

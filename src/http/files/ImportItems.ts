/** The rows of a portion as bodies of writes, with the objects that they name. */
import { parseExactly } from "../../postgres/ExactJson.ts"
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { type Errors, idIn, isDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { bodyOfRow, bodyOfTableRow } from "../../inventory/derive/represent/ImportedRow.ts"
import { namedAttributes } from "../../inventory/name/Identity.ts"
import { resolveNames } from "../../inventory/name/NamedObjects.ts"
import type { CustomField } from "../../inventory/types/extras/CustomField.ts"
import { byAttributes } from "../../inventory/write/Resolve.ts"
import { type Claiming, takeClaim } from "./write/Claims.ts"
import { type Keys, checkKeys } from "./Columns.ts"
import type { Format } from "./ImportFormat.ts"
import { type Portion, idOf } from "./ImportRows.ts"

export interface Item {
  /** Number of the row in the file, from 1. */
  readonly row: number
  readonly body: unknown
  /** The object that the row changes; undefined for one that it creates. */
  readonly id: number | undefined
  /** The values that are refused already, and are not in the body. */
  readonly errors: Errors
  /** The references to objects of its type that do not exist: later rows may create them. */
  readonly early: ReadonlySet<string>
  readonly claim: Claiming["claim"] | undefined
}

export interface Reading {
  readonly type: ObjectType
  readonly format: Format
  readonly customFields: ReadonlyArray<CustomField>
  readonly keys: Keys
  /** Whether a row without an id changes the object that has its names. */
  readonly updatesExisting: boolean
}

/** The rows of a portion that are in `wanted`, and the keys that are passed over. */
export const itemsOf = Effect.fnUntraced(function* (
  { type, format, customFields, keys, updatesExisting }: Reading,
  { bytes, first }: Portion,
  wanted: (row: number) => boolean
) {
  const rows = parseExactly(utf8.decode(bytes)) as ReadonlyArray<unknown>
  const read = yield* mapInSlices(rows, (row, at) => {
    if (!wanted(first + at)) return []
    const isTable = format === "csv"
    const body = isTable ? bodyOfTableRow(type, row as Readonly<Record<string, string>>, customFields) : row
    const { body: own, claim, errors = {} } = takeClaim(type, body)
    const { row: checked, ignored, errors: unknown } = checkKeys(own, keys)
    return [
      {
        row: first + at,
        body: bodyOfRow(type, checked, customFields),
        ignored,
        errors: { ...unknown, ...errors },
        claim
      }
    ]
  })
  const kept = read.flat()
  const { bodies, errors, early } = yield* resolveNames(
    type,
    kept.map(({ body }) => body),
    customFields
  )
  const items: Array<Item> = []
  for (const [at, { row, claim, errors: own }] of kept.entries()) {
    const body = bodies[at]
    const known = idIn(idOf(body))
    const found = known === undefined && updatesExisting ? yield* existing(type, body) : known
    const wrong: Errors = typeof found === "string" ? { __all__: [found] } : {}
    const id = typeof found === "string" ? undefined : found
    const all = { ...wrong, ...own, ...errors[at] }
    items.push({ row, body, id, errors: all, early: early.get(at) ?? none, claim })
  }
  return { items, ignored: kept.flatMap(({ ignored }) => ignored) }
})

const none: ReadonlySet<string> = new Set()

const utf8 = new TextDecoder()

/** The id of the object that the body names; undefined if there is none; why it is not clear which. */
const existing = Effect.fnUntraced(function* (type: ObjectType, body: unknown) {
  const attributes = isDictionary(body) ? namedAttributes(type, body) : undefined
  if (attributes === undefined) return undefined
  const found = yield* byAttributes(type, attributes)
  return typeof found === "string" && !found.startsWith("Multiple") ? undefined : found
})

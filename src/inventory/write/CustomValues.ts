/**
 * Custom fields of a write: merged with what an object has, checked by their definitions; errors are under `__all__`.
 */
import { Effect } from "effect"
import { inSlices } from "../../eventloop/Slices.ts"
import { type Row, isDictionary } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { customFieldsOf } from "../read/Read.ts"
import { objectType, registry } from "../Registry.ts"
import { existingIds } from "./Resolve.ts"
import { canonical, refusal } from "../derive/values/CustomValue.ts"
import type { Draft } from "../derive/values/Draft.ts"
import { customReferences } from "../field/CustomFields.ts"
import type { CustomField } from "../types/extras/CustomField.ts"
import { shortMessage } from "./WriteRefused.ts"

export const resolveCustomFields = Effect.fnUntraced(function* (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Row>
) {
  const isNew = before.length === 0
  if (!Object.hasOwn(type.fields, "custom_fields")) return drafts
  if (!isNew && !drafts.some(({ values }) => Object.hasOwn(values, "custom_fields"))) return drafts
  const definitions = yield* customFieldsOf(type)
  const merged = drafts.map((draft, at) => merge(draft, definitions, before[at], isNew))
  const existing = new Map<string, ReadonlySet<number>>()
  const rows = merged.map(({ values }): Row => ({ id: 0, ...values }))
  // An object may keep the references that it has.
  const held = customReferences(definitions, before, registry)
  for (const [id, ids] of customReferences(definitions, rows, registry)) {
    const targets = [...ids].filter(Number.isSafeInteger).map((id) => ({ id }))
    existing.set(id, (yield* existingIds(objectType(id), targets)).union(held.get(id) ?? new Set()))
  }
  return yield* inSlices(refuseAll(merged, definitions, existing, isNew))
})

/** The draft with all values that the object will have: its own before, defaults of a new one. */
const merge = (
  draft: Draft,
  definitions: ReadonlyArray<CustomField>,
  before: Row | undefined,
  isNew: boolean
): Draft => {
  const given = draft.values["custom_fields"]
  if (!isNew && given === undefined) return draft
  const defaults = definitions.flatMap((each) => (isNew && each.default !== null ? [[each.name, each.default]] : []))
  const values = Object.entries(isDictionary(given) ? given : {}).map(([name, value]) => {
    const kind = definitions.find((each) => each.name === name)?.type
    return [name, canonical(kind, value)]
  })
  // A field that is no longer there may have left its value.
  const kept = Object.entries((before?.["custom_fields"] ?? {}) as object).filter(([name]) =>
    definitions.some((each) => each.name === name)
  )
  const custom = Object.fromEntries([...defaults, ...kept, ...values])
  return { ...draft, values: { ...draft.values, custom_fields: custom } }
}

/** In steps of one value each: a pattern may take some milliseconds for it. */
function* refuseAll(
  drafts: ReadonlyArray<Draft>,
  definitions: ReadonlyArray<CustomField>,
  existing: ReadonlyMap<string, ReadonlySet<number>>,
  isNew: boolean
): Generator<void, ReadonlyArray<Draft>> {
  const known = new Map(definitions.map((each) => [each.name, each]))
  const missing = definitions.filter(({ required }) => required && isNew).map(({ name }) => name)
  const refused: Array<Draft> = []
  for (const draft of drafts) {
    const values = draft.values["custom_fields"]
    const messages: Array<string> = []
    for (const [name, value] of Object.entries(isDictionary(values) ? values : {})) {
      const definition = known.get(name)
      const reason = definition === undefined ? undefined : refusal(definition, value, existing)
      if (definition === undefined) messages.push(shortMessage(`Unknown field name '${name}' in custom field data.`))
      else if (reason !== undefined) messages.push(shortMessage(`Invalid value for custom field '${name}': ${reason}`))
      yield
    }
    for (const name of isDictionary(values) ? missing : []) {
      if (!Object.hasOwn(values as object, name)) messages.push(`Missing required custom field '${name}'.`)
    }
    refused.push(messages.length === 0 ? draft : { ...draft, errors: { ...draft.errors, __all__: messages } })
  }
  return refused
}

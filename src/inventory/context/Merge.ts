/**
 * Merges the data of config contexts as NetBox does: later values win, objects merge by key, and everything else, an
 * empty object too, takes the place of the value before. Pure, in time linear in the size of the data.
 */
import { type Dictionary, emptyRecord, isDictionary } from "../Field.ts"

type Merged = Record<string, unknown>

export const mergedData = (data: Iterable<Dictionary>): Dictionary => {
  const merged = emptyRecord<unknown>()
  // Objects of the sources are shared until a later one changes them, and each is copied once.
  const own = new Set<unknown>([merged])
  for (const each of data) mergeInto(merged, each, own)
  return merged
}

const mergeInto = (target: Merged, source: Dictionary, own: Set<unknown>): void => {
  for (const [key, value] of Object.entries(source)) {
    const before = target[key]
    if (!isDictionary(before) || !isDictionary(value) || isEmpty(value)) {
      target[key] = value
      continue
    }
    let inner = before as Merged
    if (!own.has(before)) {
      inner = Object.assign(emptyRecord<unknown>(), before)
      own.add(inner)
      target[key] = inner
    }
    mergeInto(inner, value, own)
  }
}

const isEmpty = (value: Dictionary): boolean => {
  for (const key in value) if (Object.hasOwn(value, key)) return false
  return true
}

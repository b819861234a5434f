/**
 * Webhooks of one object type and kind, by the values that their conditions ask for.
 *
 * A condition that begins with equalities (`{"and": [status.value = "active", site.slug = "ams", …]}`) cannot hold for
 * an event with other values. Conditions that begin with the same attributes stand in one group, and in it by their
 * values: of a group only those with the event's values are looked at. Where one of the attributes does not exist the
 * conditions of the group may be undecided rather than false, so all of them are looked at.
 */
import { bounded, guaranteed } from "./Budget.ts"
import type { Clause, Condition } from "./Condition.ts"
import { type Decision, type Subject, lookUp } from "./Decision.ts"
import { scalar } from "./Operator.ts"

export interface Entry {
  readonly webhook: number
  /** Undefined where the webhook has none, and where it is not understood. */
  readonly condition?: Condition
  /** Undefined where the webhook has no condition, and where it is not understood. */
  readonly decide?: Decision
  /** What is wrong with a condition that is not understood. */
  readonly problem?: string
}

interface Group {
  readonly looks: ReadonlyArray<ReturnType<typeof lookUp>>
  readonly byValues: Map<string, Map<number, Entry>>
}

/** Equalities that a group goes by. */
const equalitiesMost = 8

export class EqualityIndex {
  /** By the attributes. */
  private readonly groups = new Map<string, Group>()
  /** Where each webhook stands. */
  private readonly places = new Map<number, { readonly attributes: string; readonly values: string }>()

  set(entry: Entry): void {
    this.delete(entry.webhook)
    const equalities = entry.condition === undefined ? [] : leadingEqualities(entry.condition).slice(0, equalitiesMost)
    const attributes = JSON.stringify(equalities.map(({ path }) => path))
    const values = keyOf(equalities.map(({ value }) => value))!
    let group = this.groups.get(attributes)
    if (group === undefined) {
      group = { looks: equalities.map(({ path }) => lookUp(path)), byValues: new Map() }
      this.groups.set(attributes, group)
    }
    const entries = group.byValues.get(values) ?? new Map<number, Entry>()
    group.byValues.set(values, entries)
    entries.set(entry.webhook, entry)
    this.places.set(entry.webhook, { attributes, values })
  }

  delete(webhook: number): void {
    const place = this.places.get(webhook)
    if (place === undefined) return
    this.places.delete(webhook)
    const group = this.groups.get(place.attributes)!
    const entries = group.byValues.get(place.values)!
    entries.delete(webhook)
    if (entries.size === 0) group.byValues.delete(place.values)
    if (group.byValues.size === 0) this.groups.delete(place.attributes)
  }

  /** Those whose condition may hold or be undecided for the event. */
  *candidates(subject: Subject): Iterable<Entry> {
    for (const { looks, byValues } of this.groups.values()) {
      const values = bounded(() => looks.map((look) => look(subject)), guaranteed)
      if (values === undefined || values.includes(undefined)) {
        for (const entries of byValues.values()) yield* entries.values()
        continue
      }
      const key = keyOf(values)
      const entries = key === undefined ? undefined : byValues.get(key)
      if (entries !== undefined) yield* entries.values()
    }
  }
}

/** Clauses that decide before any other does, and that only one value satisfies. */
const leadingEqualities = (condition: Condition): ReadonlyArray<Clause> => {
  if (condition.kind === "clause") return isEquality(condition) ? [condition] : []
  if (condition.kind === "any") return condition.items.length === 1 ? leadingEqualities(condition.items[0]!) : []
  const found: Array<Clause> = []
  for (const item of condition.items) {
    const leading = leadingEqualities(item)
    found.push(...leading)
    if (item.kind !== "clause" || leading.length === 0) break
  }
  return found
}

const isEquality = ({ op, value, negate }: Clause): boolean =>
  op === "eq" && !negate && (typeof value !== "object" || value === null)

/** One text for all lists of values that are equal in Python; undefined where one of them is a list or an object. */
const keyOf = (values: ReadonlyArray<unknown>): string | undefined => {
  let key = ""
  for (const value of values) {
    if (typeof value === "object" && value !== null) return undefined
    // The length makes clear where a text ends.
    key += typeof value === "string" ? `${value.length}:${value}` : `${String(scalar(value))};`
  }
  return key
}

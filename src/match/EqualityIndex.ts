/**
 * An index of the webhooks of one object type and kind by the values that their conditions require.
 *
 * A condition that begins with equalities (`{"and": [status.value = "active", site.slug = "ams", …]}`) cannot hold for
 * an event with other values. Conditions that begin with the same attributes form a group, which maps their values to
 * the webhooks, so only those with the event's values are evaluated. If the event lacks one of the attributes, the
 * conditions of the group may be undecided rather than false, so all of them are evaluated.
 */
import { bounded, guaranteed } from "./Budget.ts"
import type { Clause, Condition } from "./Condition.ts"
import { type Decision, type Subject, lookUp } from "./Decision.ts"
import { isScalar, scalar } from "./Operator.ts"

export interface Entry {
  readonly webhook: number
  /** Undefined if the webhook has none, or an invalid one. */
  readonly condition?: Condition
  /** Undefined if the webhook has no condition, or an invalid one. */
  readonly decide?: Decision
  /** The fault of an invalid condition. */
  readonly problem?: string
}

interface Group {
  readonly looks: ReadonlyArray<ReturnType<typeof lookUp>>
  readonly byValues: Map<string, Map<number, Entry>>
}

/** Most equalities in the key of a group. */
const equalitiesMost = 8

export class EqualityIndex {
  /** Groups by their attributes. */
  private readonly groups = new Map<string, Group>()
  /** The group and the values of each webhook. */
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
    const group = this.groups.get(place.attributes)
    const entries = group?.byValues.get(place.values)
    if (group === undefined || entries === undefined) return
    entries.delete(webhook)
    if (entries.size === 0) group.byValues.delete(place.values)
    if (group.byValues.size === 0) this.groups.delete(place.attributes)
  }

  /** The webhooks whose condition may hold or be undecided for the event. */
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

/** The leading clauses of a conjunction that only one value satisfies. */
const leadingEqualities = (condition: Condition): ReadonlyArray<Clause> => {
  if (condition.kind === "clause") return isEquality(condition) ? [condition] : []
  if (condition.kind === "any") return condition.items.length === 1 ? condition.items.flatMap(leadingEqualities) : []
  const found: Array<Clause> = []
  for (const item of condition.items) {
    const leading = leadingEqualities(item)
    found.push(...leading)
    if (item.kind !== "clause" || leading.length === 0) break
  }
  return found
}

const isEquality = ({ op, value, negate }: Clause): boolean => op === "eq" && !negate && isScalar(value)

/** One text for all lists of values that are equal in Python; undefined where one of them is a list or an object. */
const keyOf = (values: ReadonlyArray<unknown>): string | undefined => {
  let key = ""
  for (const value of values) {
    if (!isScalar(value)) return undefined
    // The length marks where a text ends.
    key += typeof value === "string" ? `${value.length}:${value}` : `${String(scalar(value))};`
  }
  return key
}

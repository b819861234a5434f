/** The webhooks that match an event: looked up by object type and kind, then decided by each one's condition. */
import type { Kind } from "../event/Kind.ts"
import type { Row, RowOf } from "../inventory/Field.ts"
import type Webhook from "../inventory/types/extras/Webhook.ts"
import { Unreadable } from "../inventory/Unreadable.ts"
import { sourceTypeId } from "../event/SourceType.ts"
import { SharedBudget, bounded, guaranteed, isSpent } from "./Budget.ts"
import { isEmpty, parse } from "./Condition.ts"
import { evaluation } from "./Decision.ts"
import { EqualityIndex, type Entry } from "./EqualityIndex.ts"
import { type Explanation, explain, tooCostly } from "./Explanation.ts"
import { turnedIn } from "./OwnHealth.ts"
import type { Subject } from "./Subject.ts"

/** A webhook as its table has it. */
export type WebhookRow = RowOf<typeof Webhook>

/** When the row was last changed, milliseconds since 1970: as its transaction began. */
export const changedMillis = (row: Pick<WebhookRow, "id">): number => Date.parse(String((row as Row)["last_updated"]))

/** The flag of a webhook that subscribes to each kind of event. */
export const flags = { created: "type_create", updated: "type_update", deleted: "type_delete" } as const

/** The fields of a webhook that decide which events it matches: matching is given no others, and versions keep these. */
export const matchFields = [
  "enabled",
  "source",
  "content_types",
  ...Object.values(flags),
  "conditions",
  "scope_user"
] as const

type OptionalField = "scope_user" | "source"

export type MatchFields = Pick<WebhookRow, Exclude<(typeof matchFields)[number], OptionalField>> &
  Partial<Pick<WebhookRow, OptionalField>>

/** The ids of the object types to whose events a webhook listens: those of its source, if it has one. */
export const listenedTypes = ({
  content_types: types,
  source
}: Pick<MatchFields, "content_types" | "source">): ReadonlyArray<string> =>
  source === null || source === undefined ? types : types.map((type) => sourceTypeId({ source, type }))

/** SQL: the same of a webhook `w`, an array of texts. */
export const listenedTypesSql = `case when w.source_id is null then w.content_types
  else array(select w.source_id || ':' || each from unnest(w.content_types) each) end`

/** A condition that could not be evaluated, so that its webhook did not fire. */
interface EvaluationFailure {
  /** How often since the last report. */
  readonly times: number
  /** Why, for the first of them: the clause that could not be evaluated. */
  readonly reason: string
}

/** A webhook that fires only for what a user may view. */
export interface ScopedWebhook extends Entry {
  /** Id of the user. */
  readonly viewer: number
}

/** Most webhooks whose reasons are remembered until the next report. */
const rememberedMost = 100

export class WebhookIndex {
  /** Conditions that could not be evaluated since the start. */
  undecided = 0
  private readonly indexes = new Map<string, EqualityIndex>()
  private readonly scopedIndexes = new Map<string, Map<number, ScopedWebhook>>()
  private readonly keys = new Map<number, ReadonlyArray<string>>()
  private recent = new Map<number, { times: number; readonly reason: string }>()

  /** Number of enabled webhooks. */
  get size(): number {
    return this.keys.size
  }

  /** Adds or replaces the webhook; removes it if it was deleted or disabled. */
  set(webhook: number, row: MatchFields | undefined): void {
    for (const key of this.keys.get(webhook) ?? []) {
      this.indexes.get(key)?.delete(webhook)
      this.scopedIndexes.get(key)?.delete(webhook)
    }
    this.keys.delete(webhook)
    if (row === undefined) return
    const { enabled, conditions, scope_user: viewer } = row
    if (enabled !== true) return
    const entry: Entry = { webhook, ...decisionOf(conditions) }
    const kinds = Object.entries(flags).filter(([, flag]) => row[flag] === true)
    // Plain SQL may name a type twice.
    const keys = [...new Set(listenedTypes(row))].flatMap((type) => kinds.map(([kind]) => `${type} ${kind}`))
    this.keys.set(webhook, keys)
    if (viewer !== null && viewer !== undefined) {
      // A scope that cannot be read is still a scope: of nobody.
      if (typeof viewer !== "number") return
      for (const key of keys) {
        const scoped = this.scopedIndexes.get(key) ?? new Map<number, ScopedWebhook>()
        this.scopedIndexes.set(key, scoped.set(webhook, { ...entry, viewer }))
      }
      return
    }
    for (const key of keys) {
      const index = this.indexes.get(key) ?? new EqualityIndex()
      this.indexes.set(key, index)
      index.set(entry)
    }
  }

  clear(): void {
    this.indexes.clear()
    this.scopedIndexes.clear()
    this.keys.clear()
  }

  /** Whether any webhook subscribes to this kind of event. */
  mayMatch(type: string, kind: Kind): boolean {
    const key = `${type} ${kind}`
    return this.indexes.has(key) || this.scopedIndexes.has(key)
  }

  /** Ids of the webhooks without a scope that subscribe to this kind of event, whatever their conditions. */
  asking(type: string, kind: Kind): ReadonlyArray<number> {
    const key = `${type} ${kind}`
    const isScoped = (webhook: number) => this.scopedIndexes.get(key)?.has(webhook) === true
    return [...this.keys].flatMap(([webhook, keys]) => (keys.includes(key) && !isScoped(webhook) ? webhook : []))
  }

  /** Ids of the webhooks without a scope that want the event, in ascending order. */
  match(subject: Subject): ReadonlyArray<number> {
    const matching = this.matching(subject)
    for (;;) {
      const step = matching.next()
      if (step.done === true) return step.value
    }
  }

  /** The same in steps of bounded time. */
  *matching(subject: Subject, shared = new SharedBudget()): Generator<void, ReadonlyArray<number>> {
    const candidates = this.indexes.get(`${subject.type} ${subject.kind}`)?.candidates(subject) ?? []
    return (yield* this.deciding(others(candidates, subject), subject, shared)).sort((a, b) => a - b)
  }

  /**
   * Ids of the webhooks among these whose conditions hold, in steps of bounded time. Every condition has its guaranteed
   * budget; those that cost more share what the window of the event has for them.
   */
  *deciding(entries: Iterable<Entry>, subject: Subject, shared: SharedBudget): Generator<void, Array<number>> {
    const found: Array<number> = []
    const costly: Array<Entry> = []
    const settle = (entry: Entry, holds: boolean | undefined, reason: () => string) => {
      if (holds === undefined) this.remember(entry.webhook, reason)
      else if (holds) found.push(entry.webhook)
    }
    for (const entry of entries) {
      const { decide, problem } = entry
      if (decide === undefined) settle(entry, problem === undefined || undefined, () => reasonOf(entry, subject))
      else {
        const holds = bounded(() => decide(subject), guaranteed)
        if (holds === undefined && isSpent()) costly.push(entry)
        else settle(entry, holds, () => reasonOf(entry, subject))
      }
      yield
    }
    const share = shared.share(costly.length)
    for (const entry of costly) {
      const holds = share === undefined ? undefined : bounded(() => entry.decide!(subject), share)
      const isTooCostly = share === undefined || isSpent()
      if (share !== undefined) shared.take()
      settle(entry, holds, () => (isTooCostly ? tooCostly : reasonOf(entry, subject)))
      yield
    }
    return found
  }

  /** Webhooks with a scope that may want the event: if their users may see it and their conditions hold for it. */
  scoped(subject: Subject): ReadonlyArray<ScopedWebhook> {
    if (this.scopedIndexes.size === 0) return []
    const { type, kind } = subject
    return [...others(this.scopedIndexes.get(`${type} ${kind}`)?.values() ?? [], subject)]
  }

  /** The webhooks that were undecided since the last call, and why. */
  takeUndecided(): ReadonlyMap<number, EvaluationFailure> {
    const taken = this.recent
    this.recent = new Map()
    return taken
  }

  private remember(webhook: number, reason: () => string): void {
    this.undecided += 1
    const known = this.recent.get(webhook)
    if (known !== undefined) known.times += 1
    else if (this.recent.size < rememberedMost) this.recent.set(webhook, { times: 1, reason: reason() })
  }
}

/** Without the webhook whose own health turned. */
const others = <A extends Entry>(entries: Iterable<A>, subject: Subject): Iterable<A> => {
  const turned = turnedIn(subject)
  return turned === undefined ? entries : [...entries].filter(({ webhook }) => webhook !== turned)
}

/** An invalid document never holds; only plain SQL can have stored it. */
const decisionOf = (document: unknown): Omit<Entry, "webhook"> => {
  if (document instanceof Unreadable) return { problem: document.reason }
  if (isEmpty(document)) return {}
  try {
    const condition = parse(document)
    return { condition, decide: evaluation(condition) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

const reasonOf = ({ condition, problem }: Entry, subject: Subject): string =>
  problem ?? (condition && firstReason(explain(condition, subject))) ?? "It is not understood."

const firstReason = (explanation: Explanation): string | undefined => {
  if (explanation.reason !== undefined) return explanation.reason
  for (const item of explanation.and ?? explanation.or ?? []) {
    const reason = firstReason(item)
    if (reason !== undefined) return reason
  }
  return undefined
}

/**
 * The webhooks that fired for a change or did not, and why.
 *
 * Decided on demand, by the code that capture uses, from the event in the change log and the webhooks as of its commit
 * (match/WebhooksAt.ts). So nothing is stored for it when events are matched. Two things depend on the moment and
 * cannot be derived: the permissions of a scope's user, which count as of now, and whether a batch of events had used
 * up the work limit of costly conditions. Where a delivery exists, it decides.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inSlices, mapInSlices } from "../../eventloop/Slices.ts"
import { seen } from "../../auth/Sight.ts"
import { type Position, lsnOf, parsePosition } from "../../event/Position.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { allOf, isEverything, whereIds } from "../../inventory/derive/filter/Where.ts"
import { maskedState } from "../../inventory/derive/represent/Masked.ts"
import type { Change } from "../../inventory/read/Changes.ts"
import { objectType } from "../../inventory/Registry.ts"
import { SharedBudget } from "../../match/Budget.ts"
import { firedNow } from "../../match/Scope.ts"
import { type Verdict, gates, verdictOf } from "../../match/Verdict.ts"
import { WebhookIndex } from "../../match/WebhookIndex.ts"
import { type PastWebhook, webhooksAt } from "../../match/WebhooksAt.ts"
import { WorkLimit } from "./Evaluating.ts"
import { type Readable, eventOfChange, readableOf, tooLong } from "./ExplainedEvent.ts"
import { type Fate, fatesOf } from "./Fate.ts"

const webhookType = objectType("extras.webhook")

/** A webhook and a change: the gate that decided, and the fate of the delivery. */
export interface Reckoned extends Omit<Verdict, "outcome"> {
  readonly webhook: number
  readonly name: string
  /** Whether the webhook still exists. */
  readonly exists: boolean
  /** `unknown`: its definition at that time is not known, or the event cannot be evaluated here. */
  readonly outcome: Verdict["outcome"] | "unknown"
  /** Fate of the delivery if the webhook fired, for readers who may view deliveries. */
  readonly fate?: Fate
}

interface Explanations {
  /** Fired webhooks first, then by the gate that decided, the last gate first. */
  readonly webhooks: ReadonlyArray<Reckoned>
  /** Whether there were more webhooks than were evaluated. */
  readonly isPartial: boolean
}

/** The position of a change; undefined where plain SQL wrote another number. */
export const positionOfChange = ({ place }: Pick<Change, "place">): Position | undefined =>
  /^\d{1,19}-\d{1,15}$/.test(place) ? parsePosition(place) : undefined

/** The LSN of the commit; the position has the epoch in its upper bits. */
export const lsnOfChange = (change: Pick<Change, "place">): string | undefined => {
  const at = positionOfChange(change)
  return at === undefined ? undefined : lsnOf(at.position)
}

/** Explains a change that the reader may view, for the webhooks that the reader may view. */
export const explainChange = Effect.fnUntraced(function* (change: Change, known?: ExplainScope) {
  const at = positionOfChange(change)
  if (at === undefined) return { webhooks: [], isPartial: false } satisfies Explanations
  const { changed_object_type: objectType, changed_object_id: objectId, time } = change
  const asked = known ?? (yield* askedFor(change))
  const { visible, existing, isPartial } = asked
  const event = yield* eventOfChange(change)
  const reckoned =
    event === undefined
      ? visible.map((webhook) => unknown(webhook, tooLong))
      : yield* reckon((yield* readableOf([event]))[0]!, asked)
  const fired = reckoned.filter(({ outcome }) => outcome !== "skipped").map(({ webhook }) => webhook)
  const fates = yield* fatesOf({ ...at, time, objectType, objectId }, fired)
  const all = reckoned.map((each): Reckoned => ({
    ...withFate(each, fates?.get(each.webhook)),
    exists: existing.has(each.webhook)
  }))
  return { webhooks: all.toSorted(byImportance), isPartial } satisfies Explanations
})

/** The webhooks as of a change. */
export interface ExplainScope {
  /** All webhooks on the object type, also ones that the reader may not view: costly conditions share a budget. */
  readonly index: WebhookIndex
  /** Webhooks that the reader may view; deleted ones only for readers who may view all. */
  readonly visible: ReadonlyArray<PastWebhook>
  /** Ids of the webhooks that still exist. */
  readonly existing: ReadonlySet<number>
  readonly isPartial: boolean
}

/** Changes of one type in one transaction have the same webhooks, unless it changes webhooks too. */
export const askedFor = Effect.fnUntraced(function* (change: Change) {
  const { changed_object_type: objectType, time } = change
  const at = positionOfChange(change) ?? { position: 0n, idx: 0 }
  const { webhooks, isPartial } = yield* webhooksAt({ ...at, time }, objectType)
  const existing = yield* existingAmong(webhooks)
  const seesAll = isEverything(yield* cleared(webhookType, "view"))
  const index = new WebhookIndex()
  const listening = webhooks.filter(({ listens }) => listens)
  yield* mapInSlices(listening, ({ id, fields }) => index.set(id, fields))
  const visible = webhooks.filter(({ id }) => seesAll || existing.has(id))
  return { index, visible, existing, isPartial } satisfies ExplainScope
})

const existingAmong = Effect.fnUntraced(function* (webhooks: ReadonlyArray<PastWebhook>) {
  const sql = yield* SqlClient.SqlClient
  const where = allOf(whereIds(webhooks.map(({ id }) => id)), yield* cleared(webhookType, "view"))
  const rows = yield* sql.unsafe<{ readonly id: number }>(
    `select t.id::float8 as id from ${webhookType.table} t where ${where.sql}`,
    where.parameters
  )
  return new Set(rows.map(({ id }) => id))
})

/** The verdicts for the visible ones. */
const reckon = Effect.fnUntraced(function* ({ event, subject, hidden }: Readable, { index, visible }: ExplainScope) {
  const shared = new SharedBudget()
  const unscoped = yield* inSlices(index.matching(subject, shared))
  const objectId = Number(event.object_id)
  const [scoped] = yield* firedNow(index, [{ subject, objectId, scoped: index.scoped(subject) }], shared)
  const fired = new Set([...unscoped, ...scoped!.map(({ webhook }) => webhook)])
  const viewers = new Set(visible.flatMap(({ fields }) => fields?.scope_user ?? []))
  const { type, data, snapshots } = subject
  const told = [...viewers].map((viewer) => ({ type, objectId, data, snapshots, viewers: [viewer] }))
  const answers = yield* seen(told)
  const sights = new Map(told.map(({ viewers: [viewer] }, at) => [viewer!, answers[at]]))
  const work = new WorkLimit()
  return yield* mapInSlices(visible, (webhook): Reckoned => {
    const { id, name, fields, listens } = webhook
    if (work.isSpent && listens)
      return fired.has(id) ? { ...unexplained(webhook), outcome: "fired" } : unexplained(webhook)
    if (fields === undefined) return unknown(webhook, "How it was defined at that time is not known.")
    const sight =
      fields.scope_user === null || fields.scope_user === undefined ? undefined : sights.get(fields.scope_user)
    const scoped = sight === undefined ? subject : { ...subject, data: sight.data, snapshots: sight.snapshots }
    const decided = {
      webhook: id,
      fired: listens && fired.has(id),
      isSeen: sight !== undefined,
      scoped,
      shown: hidden.size === 0 ? undefined : maskedState(scoped, hidden)
    }
    const verdict = work.run(() => verdictOf(fields, subject, decided))
    return { webhook: id, name, exists: true, ...verdict }
  })
})

const unknown = ({ id, name }: PastWebhook, reason: string): Reckoned => ({
  ...{ webhook: id, name, exists: true, outcome: "unknown", reason, cause: reason }
})

const unexplained = (webhook: PastWebhook): Reckoned =>
  unknown(webhook, "The conditions of other webhooks took too long to explain.")

/** A delivery shows that the webhook fired, even if another verdict is derived now. */
const withFate = (each: Reckoned, fate: Fate | undefined): Reckoned => {
  if (fate === undefined) return each
  const isSent = fate.delivery !== undefined
  if (each.outcome === "fired") return { ...each, fate }
  if (!isSent) return each
  const { gate: _, ...rest } = each
  return { ...rest, outcome: "fired", reason: "", cause: "", fate }
}

const rank = ({ outcome, gate }: Reckoned): number =>
  outcome === "fired"
    ? 0
    : outcome === "undecided"
      ? 1
      : outcome === "unknown"
        ? 2
        : 2 + gates.length - gates.indexOf(gate!)

const byImportance = (one: Reckoned, other: Reckoned): number =>
  rank(one) - rank(other) || (one.name < other.name ? -1 : one.name > other.name ? 1 : one.webhook - other.webhook)

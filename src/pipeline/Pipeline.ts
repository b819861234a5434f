/**
 * Where the stages meet. They do not know each other: here a changed webhook reaches the match index, an event becomes
 * deliveries, and a text's grammar finds the stage that owns it.
 */
import { Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import type { Vault } from "../Vault.ts"
import { CaptureError } from "../capture/CaptureError.ts"
import type { CapturedEvent, EventBatch, SetAside } from "../capture/fold/CapturedEvent.ts"
import { outrank } from "../capture/slot/Leadership.ts"
import { ConsumerUnavailable, EventConsumer } from "../capture/EventConsumer.ts"
import { Settings } from "../Config.ts"
import { inWords } from "../Telemetry.ts"
import { inSlices, mapInSlices } from "../Slices.ts"
import { certificatesProblem, fileProblem } from "../deliver/attempt/CertificateAuthority.ts"
import { targetRules } from "../deliver/actor/Definition.ts"
import { rebuild } from "../deliver/recover/Rebuild.ts"
import { addressProblem, headersProblem, isTemplate } from "../deliver/attempt/Request.ts"
import { parsePolicy } from "../deliver/outcome/RetrySchedule.ts"
import { secretProblem } from "../deliver/attempt/Sign.ts"
import { urlRefusal } from "../deliver/attempt/TargetPolicy.ts"
import { advance, loadTops, noteOpen, owedSince, watermarkTable } from "../deliver/recover/Watermarks.ts"
import { type Grammar, Grammars } from "../inventory/Grammar.ts"
import { Presence } from "../inventory/database/Presence.ts"
import { constraintsProblem } from "../auth/Constraint.ts"
import type { UsualRights } from "../auth/UsualRights.ts"
import { registry } from "../inventory/Registry.ts"
import { SharedBudget } from "../match/Budget.ts"
import { isEmpty, parse } from "../match/Condition.ts"
import { type Considered, fired } from "../match/Scope.ts"
import { WebhookIndex, type WebhookRow } from "../match/WebhookIndex.ts"
import { type Version, keepVersions, versionsAt } from "../match/WebhookVersions.ts"
import { Append, Fenced } from "../stream/Append.ts"
import { type Delivery, deliveryBody, deliveryOf } from "../event/Delivery.ts"
import { comparePositions, parsePosition } from "../event/Position.ts"
import { Streams } from "../stream/Streams.ts"
import { Templates } from "../template/Template.ts"

/** Events of capture, matched and queued. */
export const eventConsumerLayer = Layer.effect(
  EventConsumer,
  Effect.gen(function* () {
    const { open, append, onDisk, verify, memory } = yield* Append
    const context = yield* Effect.context<Append | Settings | SqlClient.SqlClient | Streams | UsualRights | Vault>()
    const index = new WebhookIndex()
    /** Webhooks to look at for what they have finished, with their last ids that are on disk. */
    const recent = new Map<number, string>()
    /** Those of them whose turn is still to come. */
    const toLookAt: Array<number> = []
    const counts = { deliveries: 0, duplicates: 0, streamsLost: 0 }
    const { tell } = yield* Presence
    yield* tell(
      "match",
      Effect.sync(() => ({ webhooks: index.size, undecided: index.undecided }))
    )
    yield* tell(
      "stream",
      Effect.map(memory, ({ used, limit }) => ({ ...counts, redisBytes: used, redisBytesLimit: limit }))
    )
    yield* tellUndecided(index).pipe(Effect.schedule(Schedule.spaced(undecidedPause)), Effect.forkScoped)
    return EventConsumer.of({
      begin: ({ from, epochBegin, end, generation }) =>
        Effect.gen(function* () {
          const webhooks = yield* versionsAt(from, epochBegin, watermarkTable.name)
          index.clear()
          yield* mapInSlices(webhooks, (row) => index.set(row.id, row))
          const known = yield* loadTops
          const { lost, tops } = yield* open(generation, known)
          const ahead = [...tops.values()].find((top) => parsePosition(top).position > end)
          if (ahead !== undefined) {
            const message = `queued up to ${ahead}, which this database has not reached: it is an older copy`
            return yield* new CaptureError({ reason: "EpochMismatch", message })
          }
          counts.streamsLost += lost.length
          for (const webhook of lost) yield* rebuild(webhook)
          recent.clear()
          toLookAt.length = 0
          for (const [webhook, top] of known) recent.set(webhook, top)
        }).pipe(asConsumerError, Effect.provideContext(context)),
      accept: (batch, logged) => {
        // Matched once: tried again, events would meet webhooks as they are after them.
        const matching = matchAll(index, batch)
        let matched: Matched | undefined
        // Decided once as well: permissions may change between two tries.
        let decided: ReadonlyArray<Delivery> | undefined
        return Effect.gen(function* () {
          const { versions, owed, shared } = (matched ??= yield* inSlices(matching))
          yield* keepVersions(versions)
          const deliveries = (decided ??= yield* deliveriesOf(index, owed, shared))
          // Whoever reads an entry without a body looks for it in the change log.
          if (deliveries.some(({ chars }) => chars !== undefined)) yield* logged
          const { tops, duplicates, lost } = yield* append(deliveries)
          if (lost.length > 0) return yield* lostEntries(lost)
          counts.deliveries += deliveries.length - duplicates
          counts.duplicates += duplicates
          const stored = Effect.gen(function* () {
            if (tops.size === 0) return
            yield* onDisk
            yield* advance(tops)
            for (const [webhook, top] of tops) recent.set(webhook, top)
          }).pipe(asConsumerError, Effect.provideContext(context))
          return { stored }
        }).pipe(asConsumerError, Effect.provideContext(context))
      },
      owedSince: owedSince.pipe(asConsumerError, Effect.provideContext(context)),
      verify: noteFinished(recent, toLookAt, verify).pipe(asConsumerError, Effect.provideContext(context))
    })
  })
)

/**
 * Streams that lost entries are filled again when reading begins, and only then: nothing is on its way at that time.
 */
const lostEntries = (webhooks: ReadonlyArray<number>) =>
  new CaptureError({ reason: "Transport", message: `Redis lost entries of the webhooks ${webhooks.join(", ")}` })

/** Webhooks in one look: Redis does nothing else meanwhile. */
const lookMax = 100

/** Looks what some webhooks have finished, and whether Redis still knows what it should; answers whether others wait. */
const noteFinished = Effect.fnUntraced(function* (
  recent: Map<number, string>,
  toLookAt: Array<number>,
  verify: Append["Service"]["verify"]
) {
  if (toLookAt.length === 0) toLookAt.push(...recent.keys())
  const webhooks = toLookAt.splice(0, lookMax).filter((webhook) => recent.has(webhook))
  const tops = new Map(webhooks.map((webhook) => [webhook, recent.get(webhook)!]))
  const heads = yield* (yield* Streams).heads(webhooks)
  // After the heads: a stream that is lost looks like one that is finished.
  const { lost } = yield* verify(webhooks)
  if (lost.length > 0) return yield* lostEntries(lost)
  yield* noteOpen(heads, tops)
  for (const [webhook, head] of heads) {
    if (head === undefined && recent.get(webhook) === tops.get(webhook)) recent.delete(webhook)
  }
  return toLookAt.length > 0
})

/**
 * Fails with what capture expects. Where Redis knows a higher generation, another process leads, or led in a later copy
 * of this database: generations rise above that one from now on.
 */
const asConsumerError = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    effect,
    (error) => error instanceof Fenced,
    ({ generation, message }) => Effect.andThen(outrank(generation), new CaptureError({ reason: "Fenced", message }))
  ).pipe(
    Effect.mapError((error) =>
      error instanceof CaptureError ? error : new ConsumerUnavailable({ message: inWords(error) })
    )
  )

/** How often the log says which webhooks did not fire because their condition could not be evaluated. */
const undecidedPause = "10 seconds"

const tellUndecided = (index: WebhookIndex) =>
  Effect.suspend(() =>
    Effect.forEach(
      index.takeUndecided(),
      ([webhook, { times, reason }]) =>
        Effect.logWarning(
          `match: webhook ${webhook} did not fire, ${times} times, because its condition cannot be evaluated: ${reason}`
        ),
      { discard: true }
    )
  )

/** An event and the webhooks that want it; of those with a scope (match/Scope.ts) it is still to be decided. */
interface Owed extends Considered {
  readonly event: CapturedEvent
  readonly webhooks: ReadonlyArray<number>
}

interface Matched {
  readonly versions: ReadonlyArray<Version>
  readonly owed: ReadonlyArray<Owed>
  /** What is left for costly conditions. */
  readonly shared: SharedBudget
}

/** Webhooks take effect at their own place in the WAL: a change of one counts from there on, itself included. */
function* matchAll(index: WebhookIndex, { events, aside }: EventBatch): Generator<void, Matched> {
  const versions: Array<Version> = []
  const owed: Array<Owed> = []
  const shared = new SharedBudget()
  const learn = ({ type, position, idx, after }: CapturedEvent | SetAside, webhook: number) => {
    if (type.id !== webhookType) return
    const row = after as WebhookRow | undefined
    index.set(webhook, row)
    versions.push({ webhook, position, idx, row })
  }
  const unheard = aside.filter(({ objectId }) => Number.isSafeInteger(Number(objectId)))
  for (const event of events) {
    // A webhook counts from its own place on, also where its row cannot be read: then it fires for nothing.
    while (unheard[0] !== undefined && comparePositions(unheard[0], event) < 0) {
      learn(unheard[0], Number(unheard.shift()!.objectId))
      yield
    }
    learn(event, event.objectId)
    const { type, kind, data, prechange, postchange, objectId, xid } = event
    yield
    const subject = { type: type.id, kind, data, snapshots: { prechange, postchange } }
    const webhooks = yield* index.matching(subject, shared)
    const scoped = index.scoped(subject)
    if (webhooks.length + scoped.length > 0) owed.push({ event, objectId, xid, subject, webhooks, scoped })
  }
  for (const change of unheard) {
    learn(change, Number(change.objectId))
    yield
  }
  return { versions, owed, shared }
}

const webhookType = "extras.webhook"

const deliveriesOf = Effect.fnUntraced(function* (
  index: WebhookIndex,
  owed: ReadonlyArray<Owed>,
  shared: SharedBudget
) {
  const scoped = yield* fired(index, owed, shared)
  const made = yield* mapInSlices(owed, ({ event, webhooks }, at): ReadonlyArray<Delivery> => {
    const whole = webhooks.length === 0 ? { body: "" } : deliveryBody(event)
    return [
      ...webhooks.map((webhook) => deliveryOf(event, webhook, whole)),
      ...scoped[at]!.map(({ webhook, seen: { data, hidden } }) => {
        const shown = { ...event, json: { ...event.json, data: JSON.stringify(data) } }
        return deliveryOf(event, webhook, deliveryBody(shown, hidden))
      })
    ]
  })
  return made.flat()
})

export const grammarsLayer = Layer.effect(
  Grammars,
  Effect.gen(function* () {
    const { check, engines } = yield* Templates
    const rules = yield* targetRules
    const { webhookCaDirectory } = yield* Settings
    const template: Grammar = (value, row) => check(String(value), String(row["template_engine"]))?.told
    /** A literal text is checked as what it will be; of a template only the template can be. */
    const orTemplate =
      (problem: (text: string) => string | undefined): Grammar =>
      (value, row) =>
        isTemplate(String(value)) ? template(value, row) : problem(String(value))
    return Grammars.of({
      objectTypes: (value) => {
        const wrong = [value as string | ReadonlyArray<string>].flat().find((id) => registry.get(id)?.kind !== "object")
        return wrong === undefined ? undefined : `Invalid content type: ${wrong}`
      },
      anyTypes: (value) => {
        const wrong = (value as ReadonlyArray<string>).find((id) => !registry.has(id))
        return wrong === undefined ? undefined : `Invalid content type: ${wrong}`
      },
      constraints: (value, row) => constraintsProblem(value, (row["object_types"] ?? []) as ReadonlyArray<string>),
      engine: (value) => {
        const known = engines()
        return known.includes(String(value)) ? undefined : `There is no such template engine: ${known.join(", ")}.`
      },
      secret: (value) => secretProblem(String(value)),
      caFile: (value) => Effect.promise(() => fileProblem(webhookCaDirectory, String(value))),
      caCertificate: (value) => certificatesProblem(String(value)),
      template,
      headers: orTemplate(headersProblem),
      url: orTemplate((url) => addressProblem(url) ?? urlRefusal(rules, url)),
      condition: (value) => {
        try {
          if (!isEmpty(value)) parse(value)
          return undefined
        } catch (error) {
          return (error as Error).message
        }
      },
      retry: (value) => {
        const policy = parsePolicy(value)
        return typeof policy === "string" ? policy : undefined
      }
    })
  })
)

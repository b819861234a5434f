/**
 * The stages that follow, as capture sees them: they match events and queue deliveries. `pipeline/Pipeline.ts` joins them.
 *
 * The order of a batch, by which nothing that was committed is missed:
 * 1. log: its events are committed to the change log (`logged`).
 * 2. queue: its deliveries are appended to Redis. This may run beside the log, except for an entry without a body,
 *    which is read from the change log.
 * 3. note: the last id of each stream is written to Postgres (`stored`). This follows the log too: a stream that has a
 *    lower last id, because Redis lost its last writes, is filled again from there. So no flush of Redis is waited for.
 * 4. confirm: Postgres may forget the WAL of the batch.
 */
import { Context, type Effect, Schema } from "effect"
import type { CaptureError } from "./CaptureError.ts"
import type { EventBatch } from "./CapturedEvent.ts"

/** The stages that follow cannot take events now: a server is away, or refuses. Capture calls again. */
export class ConsumerUnavailable extends Schema.TaggedError<ConsumerUnavailable>()("ConsumerUnavailable", {
  message: Schema.String
}) {}

/** A `CaptureError` ends the session. */
type ConsumerError = ConsumerUnavailable | CaptureError

/** Events that the consumer has accepted. */
interface Receipt {
  /** Succeeds when no crash of Redis can lose the events. Meanwhile the next batches may be accepted. */
  readonly stored: Effect.Effect<void, ConsumerError>
}

/** All calls may be repeated. */
export class EventConsumer extends Context.Service<
  EventConsumer,
  {
    /** Reading begins (again), under these terms. */
    readonly begin: (terms: Terms) => Effect.Effect<void, ConsumerError>
    /** Accepts a batch: queues its deliveries. Batches are accepted one after another, in their order. */
    readonly accept: (batch: EventBatch, logged: Effect.Effect<void>) => Effect.Effect<Receipt, ConsumerError>
    /**
     * Called every few seconds, also during `accept`: fails if something that was accepted is lost. Returns whether to
     * call again at once.
     */
    readonly verify: Effect.Effect<boolean, ConsumerError>
    /** The day (`2026-11-20`) of the oldest change that a delivery may still read from the change log, if any. */
    readonly owedSince: Effect.Effect<string | undefined, ConsumerError>
  }
>()("rackwire/capture/EventConsumer") {}

export interface Terms {
  /** The consumer has everything before this position. */
  readonly from: bigint
  /** The first position of the epoch; the WAL ends at `end`, so the consumer can have nothing behind it. */
  readonly epochBegin: bigint
  readonly end: bigint
  /** Rises with every process that takes the lead. */
  readonly generation: number
}

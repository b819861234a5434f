/** Where events go: the stages that follow, as capture sees them. */
import { Context, type Effect } from "effect"
import type { Told } from "./fold/CapturedEvent.ts"

/**
 * Who takes the events. All must bear being called again. A `CaptureError` ends the session, other errors are tried
 * again.
 */
export interface Sink {
  /** Reading begins (again), under these terms. */
  readonly begin: (terms: Terms) => Effect.Effect<void, unknown>
  /**
   * Takes the events, and learns of the changes among them that became none. Called for one list after another, in
   * their order. Answers what succeeds when they are kept for good; meanwhile the next ones may come. `logged` succeeds
   * when the events are in the change log.
   */
  readonly take: (told: Told, logged: Effect.Effect<void>) => Effect.Effect<Effect.Effect<void, unknown>, unknown>
  /**
   * Called every few seconds, also while events are taken: time to look whether what was taken is still there. Answers
   * whether it is to be called again at once.
   */
  readonly look: Effect.Effect<boolean, unknown>
  /** The day (`2026-11-20`) of the oldest change that is still owed to somebody, who may ask the change log for it. */
  readonly owedSince: Effect.Effect<string | undefined, unknown>
}

export interface Terms {
  /** Whatever was before this position has been taken. */
  readonly from: bigint
  /** Positions of this epoch begin here; nothing of it can be at or behind `end` yet. */
  readonly epochBegin: bigint
  readonly end: bigint
  /** Rises with every process that takes the lead. */
  readonly generation: number
}

/** The sink that `Pipeline.ts` makes of the stages that follow. */
export class EventSink extends Context.Service<EventSink, Sink>()("rackwire/capture/EventSink") {}

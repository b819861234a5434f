/** Where events go: the stages that follow, as capture sees them. */
import { Context, type Effect } from "effect"
import type { Event } from "./Event.ts"

/** Who takes the events. Both must bear being called again; a `CaptureError` ends the session, others are tried again. */
export interface Sink {
  /** Reading begins (again), under these terms. */
  readonly begin: (terms: Terms) => Effect.Effect<void, unknown>
  /** Succeeds when the events are kept for good. Called for one list of events after another, in their order. */
  readonly take: (events: ReadonlyArray<Event>) => Effect.Effect<void, unknown>
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

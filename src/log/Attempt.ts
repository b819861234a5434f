import type { Answer, Outcome } from "../event/Outcome.ts"
import type { Entry } from "../queue/Entry.ts"
import type { Outgoing } from "../transport/Outgoing.ts"

/** One attempt of an entry: the request that was made for it, the answer, and the outcome that follows. */
export interface Attempt {
  readonly entry: Entry
  /** Counted from 1. */
  readonly number: number
  /** Milliseconds since 1970. */
  readonly started: number
  readonly durationMillis: number
  /** Without its body. It has no headers where nothing could be sent. */
  readonly request: Pick<Outgoing, "url" | "headers">
  readonly answer: Answer
  readonly outcome: Outcome
}

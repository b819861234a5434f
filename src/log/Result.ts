import type { Attempt, Outcome } from "../event/Outcome.ts"
import type { Entry } from "../queue/Entry.ts"

/** An attempt of an entry that has ended. */
export interface Result {
  readonly entry: Entry
  readonly attempt: Attempt
  readonly outcome: Outcome
}

/** Trials: writes in a transaction that is rolled back. */
import { Duration, type Effect } from "effect"
import { refuseAfter } from "../../http/objects/Limits.ts"
import { rolledBack } from "../../inventory/write/Transaction.ts"

/** Longest time for a trial, and for each lock that its writes wait for. */
const trialTime = Duration.seconds(5)
const lockMillis = 2000

/** The result of an effect that does nothing but SQL. Nothing is stored. Fails with 413 if it takes too long. */
export const trial = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  refuseAfter(trialTime, "The preview did not end")(rolledBack(effect, lockMillis))

/** Limits the reads that one sender has under way, so that one sender leaves connections to the others. */
import { Effect } from "effect"
import type { Principal } from "../auth/Principal.ts"
import { type Lane, makeLane } from "../Lane.ts"
import { HttpRefused } from "./HttpRefused.ts"

/** Most reads of one sender at once: half of the connections of requests. */
const readsMax = 8

/** Most reads of one sender that wait, and how long each waits. */
const waitingMax = 500
const patienceMillis = 10_000

const busy = Effect.suspend(() =>
  Effect.fail(
    new HttpRefused({
      reason: "Throttled",
      body: { detail: `Request was throttled: more than ${readsMax} requests of yours take long at the same time.` },
      headers: { "retry-after": "5" }
    })
  )
)

/**
 * Runs a read in its sender's turn; fails with 429 where too many wait or the wait is too long. Anonymous senders are
 * told apart by their address.
 */
export type InTurn = (
  principal: Principal,
  address: string | undefined
) => <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A, E | HttpRefused, R>

/** Each server counts the reads of its own senders. */
export const makeInTurn = (): InTurn => {
  const lanes = new Map<string, Lane<HttpRefused>>()
  return ({ user }, address) =>
    (read) =>
      Effect.suspend(() => {
        const sender = user === undefined ? `address ${address ?? ""}` : `user ${user.id}`
        const lane = lanes.get(sender) ?? makeLane({ most: readsMax, waiting: waitingMax, patienceMillis, busy })
        lanes.set(sender, lane)
        return Effect.ensuring(
          lane.run(read),
          Effect.sync(() => {
            if (lane.isIdle() && lanes.get(sender) === lane) lanes.delete(sender)
          })
        )
      })
}

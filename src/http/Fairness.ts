/** How many reads of one sender are worked on at once, so that one sender leaves connections to the others. */
import { Effect } from "effect"
import type { Principal } from "../auth/Principal.ts"
import { type Lane, makeLane } from "../Lane.ts"
import { HttpRefused } from "./HttpRefused.ts"

/** Most reads of one sender at once: half of the connections of requests. */
const readsMax = 8

/** Most that wait for their turn, and for how long, milliseconds. */
const waiting = 500
const patience = 10_000

const lanes = new Map<string, Lane<HttpRefused>>()

const busy = Effect.suspend(() =>
  Effect.fail(
    new HttpRefused({
      reason: "Throttled",
      body: { detail: `Request was throttled: more than ${readsMax} requests of yours take long at the same time.` },
      headers: { "retry-after": "5" }
    })
  )
)

/** Runs a read when it is its sender's turn: the user's, or of anonymous senders those of one address. */
export const inTurn =
  ({ user }: Principal, address: string | undefined) =>
  <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E | HttpRefused, R> =>
    Effect.suspend(() => {
      const sender = user === undefined ? `address ${address ?? ""}` : `user ${user.id}`
      const lane = lanes.get(sender) ?? makeLane({ most: readsMax, waiting, patience, busy })
      lanes.set(sender, lane)
      return Effect.ensuring(
        lane.run(read),
        Effect.sync(() => {
          if (lane.isIdle() && lanes.get(sender) === lane) lanes.delete(sender)
        })
      )
    })

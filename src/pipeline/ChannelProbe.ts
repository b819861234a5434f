/** Whether messages of this service reach it through Redis: without them each first attempt waits for the sweep. */
import { Effect } from "effect"
import { channelsOf } from "../queue/Keys.ts"
import { Redis, command } from "../redis/Redis.ts"

/** Time for a message to arrive. */
const arrivalMax = "2 seconds"

/** A message that every process takes for a reconnection, and reads its streams once. */
const noWebhook = "0"

/** A sentence if no message arrives; none if it does. */
export const channelProblems = Effect.gen(function* () {
  const { client, connect } = yield* Redis
  const subscriber = yield* connect
  const { wake, breaker } = channelsOf(client)
  const arrived = Promise.withResolvers<void>()
  subscriber.on("message", () => arrived.resolve())
  yield* command(() => subscriber.subscribe(wake, breaker))
  yield* command(() => client.publish(wake, noWebhook))
  yield* Effect.promise(() => arrived.promise)
}).pipe(
  Effect.scoped,
  Effect.timeout(arrivalMax),
  Effect.as([]),
  Effect.catch(({ message }) => Effect.succeed([`no message arrives: ${message}`]))
)

/** Refuses a start with a Redis that has not the database which `REDIS_URL` names, or is not suitable for the queues. */
import { Effect, Layer } from "effect"
import { isDatabaseRefused } from "../redis/Connection.ts"
import { Redis, command } from "../redis/Redis.ts"
import { redisFacts, unsuitable } from "../redis/Suitability.ts"
import { OptionRefused } from "../Setting.ts"

/** Time for Redis to answer: the service starts also while it is away. */
const answerMax = "2 seconds"

/** `isQueueing`: whether the process queues or reads deliveries. */
export const redisStart = (isQueueing: boolean) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { client } = yield* Redis
      const answered = Effect.andThen(
        command(() => client.ping()),
        isQueueing ? Effect.map(redisFacts(client), unsuitable) : Effect.succeed([])
      )
      const faults = yield* answered.pipe(
        Effect.timeout(answerMax),
        Effect.map((found) => found.map(({ message, change }) => `${message}. ${change}`)),
        Effect.catch(({ message }) => Effect.succeed(isDatabaseRefused(client) ? [message] : []))
      )
      if (faults.length > 0) return yield* new OptionRefused({ message: `REDIS_URL: ${faults.join(" ")}` })
    })
  )

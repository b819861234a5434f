/** Refuses a start with a Redis that has not the database which `REDIS_URL` names. */
import { Effect, Layer } from "effect"
import { isDatabaseRefused } from "../redis/Connection.ts"
import { Redis, command } from "../redis/Redis.ts"
import { OptionRefused } from "../Setting.ts"

/** Time for Redis to answer: the service starts also while it is away. */
const answerMax = "2 seconds"

export const redisStart = Layer.effectDiscard(
  Effect.gen(function* () {
    const { client } = yield* Redis
    yield* command(() => client.ping()).pipe(
      Effect.timeout(answerMax),
      Effect.catch(({ message }) =>
        isDatabaseRefused(client) ? new OptionRefused({ message: `REDIS_URL: ${message}` }) : Effect.void
      )
    )
  })
)

/** Whether Redis takes writes: one that is away, full, read-only, or cannot write its file may still answer others. */
import { Effect } from "effect"
import { type Client, command } from "./Redis.ts"
import { evictionProblems } from "./Suitability.ts"

const probeKey = "probe"

/** For how long the key is kept, seconds. */
const keptSeconds = 60

const answerMax = "2 seconds"

/** A sentence if Redis takes no writes; none if it does. */
export const writeProblems = (client: Client): Effect.Effect<ReadonlyArray<string>> =>
  command(() => client.set(probeKey, "", "EX", keptSeconds)).pipe(
    Effect.timeout(answerMax),
    Effect.as([]),
    Effect.catch(({ message }) => Effect.succeed([`Redis takes no writes: ${message}`]))
  )

/** A sentence if Redis takes no writes, and one if it may evict them. */
export const queueProblems = (client: Client): Effect.Effect<ReadonlyArray<string>> =>
  Effect.zipWith(
    writeProblems(client),
    // A Redis that does not answer is reported by the write.
    evictionProblems(client).pipe(
      Effect.timeout(answerMax),
      Effect.orElseSucceed(() => [])
    ),
    (writes, eviction) => [...writes, ...eviction],
    { concurrent: true }
  )

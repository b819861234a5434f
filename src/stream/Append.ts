/**
 * stream: deliveries in Redis Streams.
 *
 * Responsible for: keeping each webhook's deliveries in order until they are done, waiting ones until they are due, and
 * giving each to one process at a time. Guarantees: an entry is queued once, because its id is its position in the WAL
 * and Redis refuses an id that is not above the last; what `append` has confirmed is on disk; an entry is gone only when
 * it was acknowledged. Does not: trim, send, or know what a delivery means.
 */
import { Context, Effect, Layer } from "effect"
import { type Client, Redis, type RedisError, command } from "../Redis.ts"
import { type Durability, awaitDisk, durabilityOf } from "./Durable.ts"
import { type Delivery, pack } from "./Entry.ts"
import { keysOf, wakeChannel } from "./Keys.ts"

/** What Redis says of an id that is not above the stream's last: the entry is there, or was. */
const isDuplicate = (error: Error): boolean =>
  error.message.includes("equal or smaller than the target stream top item")

export class Append extends Context.Service<
  Append,
  {
    /** Queues deliveries that the WAL brought; succeeds when they are on disk. Answers how many were new. */
    readonly append: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<number, RedisError>
  }
>()("rackwire/stream/Append") {
  static readonly layer = Layer.effect(
    Append,
    Effect.gen(function* () {
      const { connect } = yield* Redis
      // A connection of its own: WAITAOF speaks of the writes of its connection, and blocks it.
      const client = yield* connect
      let durability: Promise<Durability> | undefined
      // After a new connection it may be another server, or one with other settings.
      client.on("close", () => (durability = undefined))
      return Append.of({
        append: (deliveries) =>
          command(async () => {
            if (deliveries.length === 0) return 0
            durability ??= durabilityOf(client)
            const known = await durability.catch((error: unknown) => {
              durability = undefined
              throw error
            })
            const added = await addAll(client, deliveries)
            await awaitDisk(client, known)
            await wake(client, new Set(deliveries.map(({ webhook }) => webhook)))
            return added
          })
      })
    })
  )
}

const addAll = async (client: Client, deliveries: ReadonlyArray<Delivery>): Promise<number> => {
  const pipeline = client.pipeline()
  for (const delivery of deliveries) {
    pipeline.xadd(keysOf(delivery.webhook).queue, `${delivery.position}-${delivery.idx}`, "d", pack(delivery))
  }
  const results = (await pipeline.exec()) ?? []
  const failed = results.find(([error]) => error !== null && !isDuplicate(error))
  if (failed !== undefined) throw failed[0]
  return results.filter(([error]) => error === null).length
}

/** Tells the processes that deliver; one that does not hear it finds the entries by itself a little later. */
const wake = async (client: Client, webhooks: ReadonlySet<number>): Promise<void> => {
  const pipeline = client.pipeline()
  for (const webhook of webhooks) pipeline.publish(wakeChannel, `${webhook}`)
  await pipeline.exec()
}

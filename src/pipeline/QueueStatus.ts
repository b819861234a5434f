/** The status of matching and queueing, and its metrics. */
import { Effect } from "effect"
import type { WebhookIndex } from "../match/WebhookIndex.ts"
import { Presence } from "../postgres/Presence.ts"
import { Append } from "../queue/Append.ts"
import { statusMetrics } from "../telemetry/StatusMetrics.ts"

export const tellStatus = Effect.fnUntraced(function* (index: WebhookIndex, counts: Readonly<Record<string, number>>) {
  const { tell } = yield* Presence
  const { memory } = yield* Append
  yield* tell(
    "match",
    Effect.sync(() => ({ webhooks: index.size, undecided: index.undecided }))
  )
  yield* tell(
    "stream",
    Effect.map(memory, ({ used, limit }) => ({ ...counts, redisBytes: used, redisBytesLimit: limit }))
  )
})

statusMetrics("match", {
  webhooks: { name: "rackwire_webhooks", help: "Enabled webhooks that events are matched with.", symptom: "silent" },
  undecided: {
    name: "rackwire_conditions_undecided_total",
    help: "Conditions that could not be evaluated, so that their webhook did not fire.",
    symptom: "silent"
  }
})

statusMetrics("stream", {
  redisBytes: {
    name: "rackwire_redis_memory_bytes",
    help: "Memory that Redis uses; of a cluster, its fullest node.",
    symptom: "redisFull"
  },
  redisBytesLimit: {
    name: "rackwire_redis_memory_limit_bytes",
    help: "Memory that Redis may use; absent without a limit. Capture pauses at 80 %.",
    symptom: "redisFull",
    value: (limit) => (limit === 0 ? undefined : Number(limit))
  },
  deliveries: {
    name: "rackwire_deliveries_queued_total",
    help: "Deliveries queued by this process.",
    symptom: "queueGrows"
  },
  duplicates: {
    name: "rackwire_deliveries_repeated_total",
    help: "Deliveries that were queued already when they were appended again, and were left out.",
    symptom: "repeated"
  },
  streamsLost: {
    name: "rackwire_streams_lost_total",
    help: "Streams that had lost entries and were filled again.",
    symptom: "redisFull"
  }
})

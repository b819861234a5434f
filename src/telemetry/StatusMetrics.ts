/** Metrics of what the status of this process knows anyway (`Presence.tell`), one entry each. They are read when asked. */
import { Metric } from "effect"
import { version } from "../Config.ts"
import { described, registry } from "./Series.ts"

/** The parts of a process by name, with what each tells. */
type Parts = Readonly<Record<string, Told>>
type Told = Readonly<Record<string, string | number | boolean>>

/** Name, text, and where the value is: `part.name`. The function tells the value; undefined for none. */
type Entry = readonly [
  name: string,
  help: string,
  path: string,
  value?: (value: Told[string], told: Told) => number | undefined
]

const seconds = (millis: unknown) => Number(millis) / 1000
const unlessNegative = (value: unknown) => (Number(value) < 0 ? undefined : Number(value))

const gauges: ReadonlyArray<Entry> = [
  ["rackwire_resident_memory_bytes", "Resident memory of this process.", "process.rssBytes"],
  [
    "rackwire_event_loop_delay_seconds",
    "Longest delay of the event loop in the last two seconds.",
    "process.loopDelayMillis",
    seconds
  ],
  [
    "rackwire_problems",
    "What keeps this process from its work, gaps included. /health/ready names each.",
    "health.problems"
  ],
  ["rackwire_capture_leads", "1 if this process reads the write-ahead log.", "capture.leads"],
  ["rackwire_capture_paused", "1 while capture reads no more because the queue takes nothing.", "capture.isPaused"],
  [
    "rackwire_capture_lag_seconds",
    "From a commit until its events are stored, by heartbeat; of the process that leads.",
    "capture.lagMillis",
    (millis, { leads }) => (leads === true ? seconds(millis) : undefined)
  ],
  ["rackwire_capture_lag_bytes", "Write-ahead log that is written and not confirmed.", "slot.lagBytes"],
  [
    "rackwire_capture_waiting_bytes",
    "Data of the write-ahead log that was received and not confirmed.",
    "capture.waitingBytes"
  ],
  ["rackwire_capture_generation", "Number of the leader: it rises with every takeover.", "capture.generation"],
  [
    "rackwire_capture_epoch",
    "Epoch of the positions: it rises when the database was restored or the slot was lost.",
    "capture.epoch"
  ],
  [
    "rackwire_capture_takeover_seconds",
    "From the last sign of life of the leader before until this process led.",
    "capture.takeoverMillis",
    seconds
  ],
  [
    "rackwire_changes_set_aside",
    "Changes of which no event could be made, until their rows are deleted.",
    "capture.setAside"
  ],
  ["rackwire_gaps", "Gaps in what was captured that nobody has acknowledged.", "capture.gaps"],
  [
    "rackwire_wal_retained_bytes",
    "Write-ahead log that Postgres keeps for the replication slot.",
    "slot.retainedBytes"
  ],
  [
    "rackwire_wal_limit_bytes",
    "Write-ahead log that Postgres may keep for the slot before it gives the slot up; absent without a limit.",
    "slot.safeBytes",
    (safe, { retainedBytes }) => (Number(safe) < 0 ? undefined : Number(safe) + Number(retainedBytes))
  ],
  [
    "rackwire_wal_exhausted_seconds",
    "Time until that limit at the present speed, if nothing is confirmed; absent for never.",
    "slot.exhaustedInSeconds",
    unlessNegative
  ],
  [
    "rackwire_slot_lost",
    "1 if Postgres has given the replication slot up.",
    "slot.walStatus",
    (status) => (status === "lost" ? 1 : 0)
  ],
  ["rackwire_webhooks", "Enabled webhooks that events are matched with.", "match.webhooks"],
  [
    "rackwire_webhooks_unhealthy",
    "Webhooks that need a look: failing, or healthy with failed attempts or an open breaker.",
    "backlog.unhealthy"
  ],
  ["rackwire_redis_memory_bytes", "Memory that Redis uses; of a cluster, its fullest node.", "stream.redisBytes"],
  [
    "rackwire_redis_memory_limit_bytes",
    "Memory that Redis may use; absent without a limit. Capture pauses at 80 %.",
    "stream.redisBytesLimit",
    (limit) => (limit === 0 ? undefined : Number(limit))
  ],
  [
    "rackwire_deliveries_in_flight",
    "Deliveries that this process holds: attempted, to be logged, or about to begin.",
    "deliver.inFlight"
  ],
  ["rackwire_breakers_open", "Webhooks whose circuit breaker is open in this process.", "deliver.breakersOpen"],
  [
    "rackwire_sending_stopped",
    "1 while this process starts no attempts, because sending is paused or the process is quiet.",
    "deliver.isStopped"
  ],
  ["rackwire_requests", "Requests to receivers without an answer yet, in this process.", "limits.requests"],
  ["rackwire_requests_limit", "Most requests to receivers at the same time.", "limits.requestsMax"],
  ["rackwire_event_bytes", "Events of deliveries that have begun.", "limits.eventBytes"],
  ["rackwire_event_limit_bytes", "Most bytes of them.", "limits.eventBytesMax"],
  ["rackwire_body_bytes", "Rendered bodies of deliveries that have begun.", "limits.bodyBytes"],
  ["rackwire_body_limit_bytes", "Most bytes of them.", "limits.bodyBytesMax"],
  ["rackwire_webhooks_waiting", "Webhooks that wait for their share of one of these.", "limits.webhooksWaiting"],
  [
    "rackwire_idle_connections",
    "Connections to receivers that are kept for the next request.",
    "limits.idleConnections"
  ],
  ["rackwire_idle_connections_limit", "Most connections that are kept.", "limits.idleConnectionsMax"],
  ["rackwire_client_connections", "Connections of clients of the API and the pages.", "limits.clientConnections"],
  [
    "rackwire_client_connections_limit",
    "Most connections of clients; one address has its share of them.",
    "limits.clientConnectionsMax"
  ],
  ["rackwire_lookups", "Lookups of receivers' names under way.", "deliver.lookups"],
  ["rackwire_lookups_waiting", "Names of receivers that wait to be looked up.", "deliver.lookupsWaiting"],
  ["rackwire_deliveries_queued", "Deliveries that wait in the queues of running webhooks.", "backlog.queued"],
  ["rackwire_deliveries_sending", "Deliveries that some process holds.", "backlog.sending"],
  ["rackwire_deliveries_waiting", "Deliveries that wait for their next attempt.", "backlog.waiting"],
  ["rackwire_deliveries_held", "Deliveries of webhooks that are paused or disabled.", "backlog.held"],
  [
    "rackwire_deliveries_oldest_seconds",
    "Age of the oldest change in the queue of a running webhook; 0 if there is none.",
    "backlog.oldestSeconds"
  ]
]

const counters: ReadonlyArray<Entry> = [
  ["rackwire_events_total", "Events captured by this process.", "capture.events"],
  [
    "rackwire_transactions_without_context_total",
    "Transactions that named no author, since capture began to read.",
    "capture.withoutContext"
  ],
  [
    "rackwire_contexts_unreadable_total",
    "Context messages that could not be parsed, since capture began to read.",
    "capture.unreadableContexts"
  ],
  [
    "rackwire_conditions_undecided_total",
    "Conditions that could not be evaluated, so that their webhook did not fire.",
    "match.undecided"
  ],
  ["rackwire_deliveries_queued_total", "Deliveries queued by this process.", "stream.deliveries"],
  [
    "rackwire_deliveries_repeated_total",
    "Deliveries that were queued already when they came again, and were left out.",
    "stream.duplicates"
  ],
  ["rackwire_streams_lost_total", "Streams that had lost entries and were filled again.", "stream.streamsLost"]
]

type Update = (parts: Parts) => void

const updating = (type: "counter" | "gauge", [name, help, path, read = Number]: Entry): Update => {
  described.push({ name, type, labels: [], help })
  const metric: Metric.Metric<number, unknown> = (type === "counter" ? Metric.counter : Metric.gauge)(name, {
    description: help
  })
  const [part = "", key = ""] = path.split(".")
  return (parts) => {
    const told = parts[part]
    const value = told?.[key] === undefined ? undefined : read(told[key], told)
    // A counter adds: it begins anew, so that it shows what it is told.
    Metric.removeUnsafe(metric, registry)
    if (value !== undefined) metric.updateUnsafe(value, registry)
  }
}

const updates = [
  ...gauges.map((entry) => updating("gauge", entry)),
  ...counters.map((entry) => updating("counter", entry))
]

/** Sets the metrics as the parts of this process tell. One whose part is missing is removed. */
export const updateFromStatus: Update = (parts) => updates.forEach((update) => update(parts))

const attributes = { version, node: process.versions.node }
const buildHelp = "Always 1. The labels are the version of this process, and of its Node."
described.push({ name: "rackwire_build_info", type: "gauge", labels: Object.keys(attributes), help: buildHelp })
Metric.gauge("rackwire_build_info", { description: buildHelp, attributes }).updateUnsafe(1, registry)

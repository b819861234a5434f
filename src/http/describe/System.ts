/** The endpoints about the service itself, for the description of the API. Pure. */
import {
  type Endpoints,
  described,
  flag,
  integer,
  listOf,
  number,
  orNull,
  pageOf,
  record,
  string,
  time,
  words
} from "./JsonSchema.ts"

const sending = record({
  paused: flag,
  since: orNull(time),
  by: described(orNull(string), "The user who paused it.")
})

const queue = record({
  ...{ name: string, webhook: string, workers: integer, enabled: flag, paused: flag },
  jobs: described(integer, "Queued."),
  started_jobs: described(integer, "Held by a process."),
  scheduled_jobs: described(integer, "Waiting for their next attempt."),
  failed_jobs: described(integer, "They used up their retries. Counted up to 100,000."),
  oldest: described(orNull(time), "When the oldest change that is queued or sent was committed."),
  looked: described(orNull(time), "When the queue was looked at last.")
})

const worker = record(
  {
    ...{ name: string, quiet: flag, roles: listOf(string), birth_date: time, last_heartbeat: time },
    state: words("busy", "idle", "paused", "quiet", "lost")
  },
  {
    ...{ inFlight: integer, webhooks: integer, breakersOpen: integer, isStopped: flag, version: string, node: string },
    lookups: described(integer, "Lookups of receivers' names under way."),
    lookupsWaiting: described(integer, "Names of receivers that wait to be looked up."),
    rssBytes: described(integer, "Memory."),
    loopDelayMillis: described(integer, "The longest delay of the event loop since the heartbeat before.")
  }
)

const captor = { process: string, state: string, lagMillis: number, problem: string }

const capture = record({
  slot: record({
    ...{ name: string, exists: flag, plugin: orNull(string), active: flag, walStatus: orNull(string) },
    ...{ restartLsn: orNull(string), confirmedLsn: orNull(string), currentLsn: string },
    lagBytes: described(integer, "WAL that is written and not confirmed."),
    retainedBytes: described(integer, "WAL that the server keeps for the slot."),
    retainedBytesMax: described(orNull(integer), "`max_slot_wal_keep_size`; null for no limit.")
  }),
  publication: record({
    ...{ name: string, exists: flag, tables: integer },
    differences: described(listOf(string), "From what it should be; empty if it is whole.")
  }),
  leader: orNull(record({ ...captor, generation: integer, since: orNull(time) })),
  standbys: listOf(record(captor)),
  epochs: listOf(
    record({
      ...{ number: integer, slot: string, began: time, continues: flag },
      ...{ captured: orNull(time), capturedLsn: orNull(string) }
    })
  ),
  gaps: listOf(
    record({
      ...{ id: integer, cause: string, reason: string, objectTypes: orNull(listOf(string)) },
      ...{ since: time, until: orNull(time), acknowledged: orNull(time) }
    })
  ),
  setAside: record({
    count: integer,
    changes: listOf(record({ objectType: string, objectId: string, kind: string, reason: string, committed: time }))
  })
})

const service = record({
  version: string,
  versions: record({ rackwire: listOf(string), node: listOf(string), redis: listOf(string), postgres: string }),
  problems: listOf(record({ problem: string, advice: string, processes: listOf(string) })),
  settings: described(
    listOf(record({ name: string, value: string, isSet: flag, description: string })),
    "Without secrets; empty for users who may not change every webhook."
  )
})

const pipeline = record(
  {
    ...{ queued: integer, sending: integer, waiting: integer, looked: orNull(time) },
    failed: described(integer, "Counted up to 10,000.")
  },
  {
    lagMillis: described(orNull(number), "From a commit until its events are stored; null while no process captures."),
    lagBytes: orNull(integer),
    confirmed: orNull(string),
    captured_last_minute: integer
  }
)

const quiet = record({ name: string, quiet: flag })

/** By path and method. */
export const describedSystem: Endpoints = {
  "/api/core/pipeline/": { get: { summary: "How far capture is, and what waits in all", answer: pipeline } },
  "/api/core/background-queues/": { get: { summary: "Deliveries that wait, by webhook", answer: pageOf(queue) } },
  "/api/core/background-workers/": { get: { summary: "The processes that deliver", answer: pageOf(worker) } },
  "/api/core/background-workers/:name/quiet/": {
    post: { summary: "Tell a process to end what it holds and take no new work", answer: quiet }
  },
  "/api/core/background-workers/:name/resume/": {
    post: { summary: "Tell a process to take work again", answer: quiet }
  },
  "/api/core/sending/": { get: { summary: "Whether all sending is paused", answer: sending } },
  "/api/core/sending/pause/": { post: { summary: "Pause the sending to all webhooks", answer: sending } },
  "/api/core/sending/resume/": { post: { summary: "Resume the sending", answer: sending } },
  "/api/core/capture/": { get: { summary: "How capture is", answer: capture } },
  "/api/core/capture/gaps/:id/acknowledge/": {
    post: { summary: "End the alarm of a gap", answer: record({ id: integer, acknowledged: flag }) }
  },
  "/api/core/service/": { get: { summary: "Versions, problems and settings", answer: service } }
}

/** The symptoms for which an operator reads metrics, and the action for each. A metric names its symptom. */

interface Symptom {
  /** The rest of the sentence "When …", for docs/telemetry.md. */
  readonly when: string
  readonly act: string
}

export const symptoms = {
  wrong: {
    when: "something is wrong",
    act: "Anything but 0 is named by `rackwire check`, with what to do ([problems](operating.md#problems))."
  },
  late: {
    when: "webhooks are late",
    act: "They show which part is late: until a delivery is queued (see the next row), until its first attempt (a queue or a limit of a webhook, or too few processes that deliver), or a retry (the same)."
  },
  capturedLate: {
    when: "changes are captured late",
    act: "A lag that falls by itself was a large transaction. If it grows: Redis is full or away (paused), or the process or Postgres has too much to do."
  },
  leader: {
    when: "nobody captures, or the leader changes often",
    act: "One process leads (the sum is 1). A generation that rises by itself: the leader is stopped, killed or too slow; its log says. A new epoch: a restore, or a lost slot."
  },
  walKept: {
    when: "Postgres keeps much of its log",
    act: "Let capture continue, or raise `max_slot_wal_keep_size`, before the seconds are over."
  },
  queueGrows: {
    when: "the queue grows",
    act: "More is queued than ends. Find the webhook in System > Background tasks; raise `max_in_flight` or `rate_limit`, fix its receiver, or add processes."
  },
  held: {
    when: "many deliveries wait or are held",
    act: "Unhealthy: the webhooks that the home page and `check` name; each shows why its deliveries wait. Waiting: retries of failing receivers. Held: webhooks that are paused or disabled. Stopped: somebody paused sending, or made a process quiet."
  },
  limits: {
    when: "a process is near its limits",
    act: "Requests: receivers that hang; shorten their `timeout` and `max_in_flight`, raise `ulimit -n` up to 9,000, or add processes. Clients: one that leaves connections open, or a proxy that `TRUSTED_PROXIES` does not name. Lookups: a webhook whose names do not resolve."
  },
  failing: {
    when: "attempts fail or take long",
    act: "The reasons: `/api/extras/deliveries/failures/`. Slow rendering: a costly template, or one that was penalised for running out of time."
  },
  redisFull: {
    when: "Redis fills",
    act: "More memory, or fewer waiting deliveries. Lost streams: Redis has lost stored entries in a restart or a failover."
  },
  loggedLate: {
    when: "outcomes are written late",
    act: "Slow: disks or locks of Postgres. Large batches with short times are well."
  },
  silent: {
    when: "a webhook does not fire",
    act: "Fewer webhooks than you enabled: capture has not read their change yet. Undecided: the log names the clause."
  },
  noAuthor: {
    when: "the author of a change is missing",
    act: "Have scripts of plain SQL call `rackwire_context`. Unreadable: somebody writes such messages by hand."
  },
  repeated: {
    when: "repetitions",
    act: "Rises after a restart or takeover, when the log is read again; receivers see nothing of it."
  },
  api: {
    when: "the API is slow or refuses",
    act: "By route: a slow filter (Postgres), or all of them (the process). Refused: the reason names a limit or a missing right."
  },
  process: {
    when: "a process grows, or an update is under way",
    act: "185 MB idle; up to 300 MB more is its work. More than one version: finish the update. Dropped spans: lower `TRACE_RATIO`."
  }
} as const satisfies Readonly<Record<string, Symptom>>

export type SymptomName = keyof typeof symptoms

/** The health of the slot on the server, and for how long the server can keep its WAL. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { statusMetrics } from "../../telemetry/StatusMetrics.ts"

interface SlotHealth {
  /** `reserved`, `extended`, `unreserved` or `lost`; "" if there is no slot. */
  readonly walStatus: string
  /** WAL written and not confirmed, bytes. */
  readonly lagBytes: number
  /** WAL that the server keeps for the slot, bytes. */
  readonly retainedBytes: number
  /** Bytes until the server invalidates the slot (`max_slot_wal_keep_size`); -1 for never. */
  readonly safeBytes: number
  /** Seconds until then, if WAL is written at the present speed and nothing is confirmed; -1 for never. */
  readonly exhaustedInSeconds: number
}

interface Sample {
  readonly at: number
  readonly written: number
}

interface HealthReading {
  readonly health: Omit<SlotHealth, "exhaustedInSeconds"> & { readonly written: number; readonly at: number }
}

/** Measures the slot; keeps the last sample, to compute the speed at which WAL is written. */
export class SlotGauge {
  private last: Sample | undefined
  private readonly slot: string

  constructor(slot: string) {
    this.slot = slot
  }

  measure = Effect.fnUntraced({ self: this }, function* (this: SlotGauge) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<HealthReading>`
      select json_build_object(
        'walStatus', coalesce(wal_status, ''),
        'lagBytes', coalesce(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), confirmed_flush_lsn), 0),
        'retainedBytes', coalesce(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), restart_lsn), 0),
        'safeBytes', coalesce(safe_wal_size, -1),
        'written', pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'),
        'at', extract(epoch from clock_timestamp())) as health
        from (select 1) one left join pg_replication_slots on slot_name = ${this.slot}`
    const { written, at, ...health } = row!.health
    const before = this.last
    this.last = { at, written }
    const speed = before === undefined || at <= before.at ? 0 : (written - before.written) / (at - before.at)
    const exhaustedInSeconds = health.safeBytes < 0 || speed <= 0 ? -1 : Math.round(health.safeBytes / speed)
    return { ...health, exhaustedInSeconds } satisfies SlotHealth
  })
}

statusMetrics("slot", {
  lagBytes: {
    name: "rackwire_capture_lag_bytes",
    help: "Write-ahead log that is written and not confirmed.",
    symptom: "capturedLate"
  },
  retainedBytes: {
    name: "rackwire_wal_retained_bytes",
    help: "Write-ahead log that Postgres keeps for the replication slot.",
    symptom: "walKept"
  },
  safeBytes: {
    name: "rackwire_wal_limit_bytes",
    help: "Write-ahead log that Postgres may keep for the slot before it gives the slot up; absent without a limit.",
    symptom: "walKept",
    value: (safe, { retainedBytes }) => (Number(safe) < 0 ? undefined : Number(safe) + Number(retainedBytes))
  },
  exhaustedInSeconds: {
    name: "rackwire_wal_exhausted_seconds",
    help: "Time until the write-ahead log reaches its limit at the present speed, if nothing is confirmed; absent for never.",
    symptom: "walKept",
    value: (value) => (Number(value) < 0 ? undefined : Number(value))
  },
  walStatus: {
    name: "rackwire_slot_lost",
    help: "1 if Postgres has given the replication slot up.",
    symptom: "wrong",
    value: (status) => (status === "lost" ? 1 : 0)
  }
})

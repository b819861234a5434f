/**
 * Transactions that capture has read in the WAL, and of which other sessions may not see the rows yet: Postgres writes a
 * commit to the WAL first, and with a synchronous standby shows its rows only after the standby has it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Pace } from "../../eventloop/Pace.ts"

/** Most transactions that are kept; of more the oldest ones are seen by everybody. */
const keptMax = 10_000

/** Longest pause between two snapshots, milliseconds. */
const pauseMillisMax = 50

export class SeenTransactions {
  /** The lower 32 bits of their numbers. */
  private readonly unsure = new Set<number>()

  add(xid: number): void {
    this.unsure.add(xid)
    if (this.unsure.size > keptMax) for (const oldest of this.unsure.keys().take(1)) this.unsure.delete(oldest)
  }

  /** Waits until statements see all of them; false if that takes too long. */
  readonly visible = Effect.suspend(() => this.untilVisible())

  private untilVisible = Effect.fnUntraced({ self: this }, function* (this: SeenTransactions) {
    const sql = yield* SqlClient.SqlClient
    const { visibleMillis } = (yield* Pace).capture
    for (let [waited, pause] = [0, 1]; this.unsure.size > 0; pause = Math.min(2 * pause, pauseMillisMax)) {
      const [row] = yield* sql<{ readonly snapshot: string }>`select pg_current_snapshot()::text as snapshot`
      const isVisible = visibilityIn(row!.snapshot)
      for (const xid of this.unsure) if (isVisible(xid)) this.unsure.delete(xid)
      if (this.unsure.size > 0 && waited >= visibleMillis) return false
      if (this.unsure.size > 0) yield* Effect.sleep(pause)
      waited += pause
    }
    return true
  })
}

/** Whether a snapshot of Postgres (`xmin:xmax:xip,xip`) shows a transaction, by the lower 32 bits of its number. Pure. */
export const visibilityIn = (snapshot: string): ((xid: number) => boolean) => {
  const [, end = "0", running = ""] = snapshot.split(":")
  const lower = (xid: string): number => Number(BigInt.asUintN(32, BigInt(xid)))
  const behind = lower(end)
  const open = new Set(running === "" ? [] : running.split(",").map(lower))
  // Numbers are a circle: a transaction is half of it behind another at most.
  return (xid) => ((xid - behind) | 0) < 0 && !open.has(xid)
}

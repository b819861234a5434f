/**
 * Reads the watermarks while faults are injected, and compares them in the end: what is confirmed to Postgres is in the
 * change log and was appended, and what a webhook is said to have finished is in the delivery log.
 */
import type { Sql } from "../support/Sql.ts"
import type { Logged } from "./ChangeLogOracle.ts"
import type { Differences } from "./Differences.ts"
import { type Owed, isBelow } from "./StreamOracle.ts"
import { pause } from "./Timeline.ts"

interface Look {
  /** Position before which the WAL is confirmed, and how many events before it were in the change log. */
  readonly confirmed: string
  readonly logged: number
  readonly webhooks: ReadonlyArray<Watermark>
}

interface Watermark {
  readonly webhook: number
  readonly appended: string
  readonly open: string
  /** Deliveries before `open` that the delivery log knew. */
  readonly finished: number
}

/** Pause between two looks, milliseconds. */
const lookMillis = 300

const confirmedQuery = `
  select (confirmed_flush_lsn - '0/0'::pg_lsn)::text as confirmed from pg_replication_slots`

const loggedQuery = `
  select (select count(*)::int from extras_objectchange
            where position < $1::text::bigint and changed_object_type not in ('extras.alarm', 'users.signin')) as logged,
         (select coalesce(json_agg(json_build_object(
             'webhook', webhook_id,
             'appended', appended_position || '-' || appended_idx,
             'open', open_position || '-' || open_idx,
             'finished', (select count(*) from extras_delivery d where d.webhook_id = m.webhook_id
                             and (d.position, d.idx) < (m.open_position, m.open_idx)))), '[]')
            from rackwire_watermark m) as webhooks`

export class WatermarkOracle {
  private readonly looks: Array<Look> = []
  private readonly sql: Sql

  constructor(sql: Sql) {
    this.sql = sql
  }

  /** Looks again and again; what Postgres does not answer is not looked at. */
  async watch(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.look().catch(() => {})
      await pause(lookMillis)
    }
  }

  compare(
    logged: ReadonlyArray<Logged>,
    owed: ReadonlyMap<number, ReadonlyArray<Owed>>,
    differences: Differences
  ): void {
    const events = logged.map(({ position, idx }) => ({ id: `${position}-${idx}` }))
    for (const { confirmed, logged, webhooks } of this.looks) {
      const expected = countBelow(events, `${confirmed}-0`)
      if (expected !== logged) {
        differences.add(`${confirmed} was confirmed with ${logged} of ${expected} events before it in the change log`)
      }
      const marks = new Map(webhooks.map((mark) => [mark.webhook, mark]))
      for (const [webhook, each] of owed) {
        const { appended = "0-0", open = "0-0", finished = 0 } = marks.get(webhook) ?? {}
        const needed = each[countBelow(each, `${confirmed}-0`) - 1]?.id ?? "0-0"
        if (isBelow(appended, needed)) {
          differences.add(`${confirmed} was confirmed when webhook ${webhook} had ${appended} of ${needed}`)
        }
        if (isBelow(each.at(-1)!.id, appended)) {
          differences.add(`webhook ${webhook} had appended up to ${appended}, more than there ever was`)
        }
        const before = countBelow(each, open)
        if (before !== finished) {
          differences.add(`webhook ${webhook} was open from ${open} with ${finished} of ${before} finished`)
        }
      }
    }
  }

  private async look(): Promise<void> {
    // In this order: what is looked at later can only be more.
    const [slot] = await this.sql.query<Pick<Look, "confirmed">>(confirmedQuery)
    if (slot === undefined) return
    const [rest] = await this.sql.query<Omit<Look, "confirmed">>(loggedQuery, [slot.confirmed])
    this.looks.push({ ...slot, ...rest! })
  }
}

/** How many of the ids, which rise, are below another one. */
const countBelow = (sorted: ReadonlyArray<{ readonly id: string }>, id: string): number => {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBelow(sorted[middle]!.id, id)) from = middle + 1
    else to = middle
  }
  return from
}

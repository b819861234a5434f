/**
 * Transactions of the change log by a clue that people have: an LSN, a request, a change, a delivery. A clue leads from
 * visible changes alone: otherwise the answers would show where hidden ones are.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { lastCommitUpTo } from "../../changelog/LastCommit.ts"
import { isEvent, lsnOf } from "../../event/Position.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { type Where, allOf, whereIds } from "../../inventory/derive/filter/Where.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import type { RequestLine } from "../../inventory/write/Transaction.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"

export type Clue =
  | { readonly kind: "position"; readonly position: bigint }
  | { readonly kind: "lsn"; readonly lsn: bigint }
  | { readonly kind: "request"; readonly id: string }
  | { readonly kind: "xid"; readonly xid: number }
  | { readonly kind: "change"; readonly id: number }
  | { readonly kind: "delivery"; readonly id: string }

/** Without the webhooks that led to the request: the reader may not see these. */
interface ShownRequest {
  readonly method: string
  readonly path: string
  readonly token?: number
  readonly traceparent?: string
}

const shownRequest = ({ method, path, token, traceparent }: RequestLine): ShownRequest => ({
  ...{ method, path },
  ...(token !== undefined && { token }),
  ...(traceparent !== undefined && { traceparent })
})

/** A transaction, as far as the reader may view its changes. */
export interface Transaction {
  /** Position of its commit, decimal: the LSN with its epoch in the upper bits. */
  readonly position: string
  readonly lsn: string
  /** Time of the commit, ISO 8601. */
  readonly time: string
  readonly request_id: string
  /** "" where plain SQL named no user, and for changes of several users that a source relayed together. */
  readonly user_name: string
  /** The name of the source of its changes; null for changes of the inventory. */
  readonly source: string | null
  /** Null for plain SQL. */
  readonly request: ShownRequest | null
  /** Its number in Postgres, the lower 32 bits; null where it was captured by an earlier version. */
  readonly xid: number | null
  /** Counted up to `countedMax`. */
  readonly changes: number
}

/** Most transactions that are found, and most changes of one that are counted. */
const transactionsMax = 20
export const countedMax = 1000

/** The transactions of a clue, or the latest ones; newest first. */
export const transactionsOf = Effect.fnUntraced(function* (clue?: Clue) {
  const visible = allOf(yield* cleared(changeType, "view"), { sql: isEvent("t"), parameters: [] })
  const where = clue === undefined ? latest(visible) : yield* whereOf(clue, visible)
  return where === undefined ? [] : yield* transactionsWhere(allOf(where, visible))
})

/** The positions of the latest transactions: each step finds the next one by the index, however large they are. */
const latest = ({ sql, parameters }: Where): Where => ({
  sql: `t.position = any (array(
    with recursive latest (position, number) as (
      (select t.position, 1 from ${changeType.table} t where ${sql} order by t.position desc limit 1)
      union all
      select before.position, number + 1 from latest l cross join lateral (
        select t.position from ${changeType.table} t where t.position < l.position and (${sql})
         order by t.position desc limit 1) before
       where number < ${transactionsMax})
    select position from latest))`,
  parameters
})

const whereOf = Effect.fnUntraced(function* (clue: Clue, visible: Where) {
  switch (clue.kind) {
    case "position":
      return at(clue.position)
    case "lsn":
      return yield* lastCommitUpTo(clue.lsn, visible)
    case "request":
      return { sql: "t.request_id = $1::uuid", parameters: [clue.id] }
    case "xid":
      return { sql: "t.xid = $1::bigint", parameters: [`${clue.xid}`] }
    case "change":
      return ofChange(clue.id, visible)
    case "delivery":
      return yield* ofDelivery(clue.id)
  }
})

const ofChange = (id: number, visible: Where): Where => {
  const { sql, parameters } = allOf(whereIds([id]), visible)
  return { sql: `t.position = (select t.position from ${changeType.table} t where ${sql} limit 1)`, parameters }
}

const at = (position: bigint): Where => ({ sql: "t.position = $1::bigint", parameters: [`${position}`] })

/** The position of a delivery: from the id of one that was not attempted yet, or from the row of the delivery log. */
const ofDelivery = Effect.fnUntraced(function* (id: string) {
  const [, position] = /^\d{1,16}-(\d{1,19})-\d{1,15}(?:-.{1,40})?$/.exec(id) ?? []
  if (position !== undefined) return at(BigInt.asIntN(64, BigInt(position)))
  if (!/^\d{1,15}$/.test(id)) return undefined
  const sql = yield* SqlClient.SqlClient
  const where = allOf({ sql: "t.id = $1::bigint", parameters: [id] }, yield* cleared(deliveryType, "view"))
  const [row] = yield* sql.unsafe<{ readonly position: string | null }>(
    `select t.position::text as position from ${deliveryType.table} t where ${where.sql}`,
    where.parameters
  )
  return row === undefined || row.position === null ? undefined : at(BigInt(row.position))
})

const transactionsWhere = Effect.fnUntraced(function* (where: Where) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<Omit<Transaction, "lsn">>(
    `select position::text as position, to_char(max(time) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time,
            min(request_id::text) as request_id, case when min(user_name) = max(user_name) then min(user_name) else '' end as user_name,
            min(source ->> 'name') as source, min(request::text)::json as request,
            min(xid)::float8 as xid, count(*)::int as changes
       from (select distinct t.position as at from ${changeType.table} t where ${where.sql}
              order by 1 desc limit ${transactionsMax}) found
       cross join lateral (
         select t.position, t.time, t.request_id, t.user_name, t.source, t.request, t.xid from ${changeType.table} t
          where t.position = at and (${where.sql}) limit ${countedMax}) c
      group by position order by position desc`,
    where.parameters
  )
  return rows.map((row): Transaction => ({
    ...row,
    request: row.request && shownRequest(row.request),
    lsn: lsnOf(BigInt(row.position))
  }))
})

/** Relays the transactions of a stream, in their order. */
import { Effect, Option, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { formatLsn } from "../event/Lsn.ts"
import { asTexts } from "../inventory/derive/filter/Where.ts"
import { Vault } from "../inventory/Vault.ts"
import { partOf } from "./Fill.ts"
import type { FoldedChange } from "./netbox/ChangeRow.ts"
import { eachChange } from "./netbox/NetBoxTable.ts"
import { switchedIn } from "./netbox/SwitchMessage.ts"
import type { SourceTransaction } from "./netbox/Transactions.ts"
import type { OpenSource } from "./OpenSource.ts"
import { relay } from "./Relay.ts"
import type { SourceStream } from "./slot/SourceStream.ts"
import { noteLoss } from "./state/Loss.ts"
import type { Lead } from "./state/SourceState.ts"

/** From where the transactions of a stream are relayed. */
export interface Begun {
  /** Rows that are relayed already: the stream may bring them again. */
  readonly read: ReadonlySet<string>
  /** So are all rows up to this id. */
  readonly settledId: string
  /** Everything up to here in the WAL of the source is relayed. */
  readonly from: bigint
}

/**
 * Whether a transaction may have changes that are not relayed. The rows decide too, since in a database that was restored
 * the same places in the WAL are other transactions.
 */
const isFresh = ({ endLsn, found }: SourceTransaction, { read, settledId, from }: Begun): boolean => {
  if (endLsn > from) return true
  const settled = BigInt(settledId)
  return ("ids" in found ? found.ids : idsIn(found.changes)).some((id) => !read.has(id) && BigInt(id) > settled)
}

/** Most rows, and bytes, of transactions that are relayed together. */
const batchRows = 200
const batchBytes = 2 * 1024 * 1024

/** Never succeeds; fails with the reason why a transaction could not be relayed. */
export const consume = Effect.fnUntraced(function* (
  source: OpenSource,
  lead: Lead,
  stream: SourceStream,
  begun: Begun
) {
  return yield* Effect.forever(
    Effect.gen(function* () {
      const batch = yield* nextBatch(stream)
      const fresh = batch.filter((each) => isWanted(each) && isFresh(each, begun))
      const small = fresh.filter(({ found }) => "changes" in found)
      if (small.length > 0) {
        yield* relayBatch(source, lead, small, begun.read)
        stream.noteStored(small.at(-1)!.endLsn)
      }
      // Only the last one may be large.
      const large = fresh.at(-1)
      if (large !== undefined && "ids" in large.found) {
        yield* relayLarge(source, lead, large, begun.read)
        stream.noteStored(large.endLsn)
      }
      stream.confirm(batch)
    })
  )
})

const isWanted = ({ rows, switches }: SourceTransaction): boolean => rows > 0 || switches.length > 0

/** Whether nothing may follow a transaction in its batch: it is large, or webhooks begin behind it. */
const isLast = ({ found, switches }: SourceTransaction): boolean => "ids" in found || switches.length > 0

/** The transactions that wait, up to a full batch; a large one is its last. */
const nextBatch = Effect.fnUntraced(function* ({ waiting }: SourceStream) {
  const batch = [yield* Queue.take(waiting)]
  let [rows, bytes] = [batch[0]!.rows, batch[0]!.bytes]
  while (rows < batchRows && bytes < batchBytes && !isLast(batch.at(-1)!)) {
    const next = yield* Queue.poll(waiting)
    if (Option.isNone(next)) break
    batch.push(next.value)
    rows += next.value.rows
    bytes += next.value.bytes
  }
  return batch
})

const relayBatch = Effect.fnUntraced(function* (
  source: OpenSource,
  lead: Lead,
  batch: ReadonlyArray<SourceTransaction>,
  read: ReadonlySet<string>
) {
  const all = batch.flatMap(({ found }) => ("changes" in found ? found.changes : []))
  const changes = all.filter(({ id }) => !read.has(id))
  const part = yield* partOf(source, changes, idsIn(changes))
  const last = batch.at(-1)!
  const switches = last.switches.length > 0
  yield* relay(source, lead, switches ? undefined : formatLsn(last.endLsn), part)
  if (switches) yield* relayEnd(source, lead, last)
})

const idsIn = (changes: ReadonlyArray<FoldedChange>): ReadonlyArray<string> => changes.flatMap(({ ids }) => ids)

/** The rows of a large transaction are read page by page; events of other sources may be between two pages. */
const relayLarge = Effect.fnUntraced(function* (
  source: OpenSource,
  lead: Lead,
  transaction: SourceTransaction,
  read: ReadonlySet<string>
) {
  const { found } = transaction
  const wanted = "ids" in found ? found.ids.filter((id) => !read.has(id)) : []
  let rows = 0
  yield* eachChange(source.sql, source.table, wanted, ({ changes, ids }) =>
    Effect.gen(function* () {
      rows += ids.length
      yield* relay(source, lead, undefined, yield* partOf(source, changes, ids))
    })
  )
  yield* relayEnd(source, lead, transaction)
  if (rows < wanted.length) {
    yield* noteLoss(
      source.row,
      `retention deleted ${wanted.length - rows} changes of a large transaction before they were read`
    )
  }
})

/**
 * Notes that all events of a transaction are relayed, and enables the webhooks that NetBox sends from here on no more:
 * both or neither, behind these events and before all others.
 */
const relayEnd = Effect.fnUntraced(function* (source: OpenSource, lead: Lead, { endLsn, switches }: SourceTransaction) {
  const { open } = yield* Vault
  const { id } = source.row
  const webhooks = switches.flatMap((sealed) => switchedIn(open(sealed), id))
  const sql = yield* SqlClient.SqlClient
  const enable = sql`
    update extras_webhook set enabled = true
     where id = any (${asTexts(webhooks)}::text[]::bigint[]) and source_id = ${`${id}`}::text::bigint and not enabled`
  yield* sql.withTransaction(Effect.andThen(relay(source, lead, formatLsn(endLsn), { events: [], unused: [] }), enable))
})

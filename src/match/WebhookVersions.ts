/**
 * Webhooks as of a position in the WAL.
 *
 * The table of webhooks says how they are now; when capture begins again somewhat earlier, events must be matched with
 * the webhooks as they were then. So every version of a webhook is kept with the position of its change, until reading
 * has passed the next one for good.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Row } from "../inventory/Field.ts"
import { objectType } from "../inventory/Registry.ts"
import { columnsOf, rowFromJson } from "../inventory/derive/values/Row.ts"
import type { Table } from "../inventory/derive/table/Table.ts"

const type = objectType("extras.webhook")

export const versionTable: Table = {
  name: "rackwire_webhook_version",
  daily: false,
  columns: [
    { name: "webhook_id", type: "bigint", nullable: false },
    { name: "position", type: "bigint", nullable: false },
    { name: "idx", type: "bigint", nullable: false },
    // Null when this is the webhook's end.
    { name: "definition", type: "jsonb", nullable: true }
  ],
  constraints: [{ name: "rackwire_webhook_version_key", sql: "unique (webhook_id, position, idx)" }],
  indexes: [],
  triggers: [],
  published: false
}

export interface Version {
  readonly webhook: number
  readonly position: bigint
  readonly idx: number
  /** Undefined when this is the webhook's end. */
  readonly row: Row | undefined
}

/** Stands for the webhooks that an epoch found when it began; no webhook has this id. */
const baseline = 0

const versions = versionTable.name

/** What says how a webhook is sent, and not what it is sent: credentials need not stay here as long as a version does. */
const unkept = "'{additional_headers,secret_headers,secret,previous_secret}'::text[]"

/**
 * The webhooks as of a position of the epoch that begins at `epochBegin`. Versions that nobody will ask for any more
 * are forgotten: those followed by another one before everything that the webhook may still be owed (`open`, a table).
 */
export const versionsAt = Effect.fnUntraced(function* (position: bigint, epochBegin: bigint, open: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `with first as (
       insert into ${versions} (webhook_id, position, idx)
       select ${baseline}, $1::bigint - 1, 0
        where not exists (select 1 from ${versions} where webhook_id = ${baseline} and position >= $2::bigint - 1)
       returning position)
     insert into ${versions} (webhook_id, position, idx, definition)
     select t.id, first.position, 0, to_jsonb(t) - ${unkept} from ${type.table} t, first`,
    [`${position}`, `${epochBegin}`]
  )
  // An earlier version of ours kept them.
  yield* sql.unsafe(`update ${versions} set definition = definition - ${unkept} where definition ?| ${unkept}`)
  yield* sql.unsafe(
    `delete from ${versions} v using ${versions} later left join ${open} o using (webhook_id)
      where later.webhook_id = v.webhook_id and (later.position, later.idx) > (v.position, v.idx)
        and later.position < least($1::bigint, o.open_position)`,
    [`${position}`]
  )
  const rows = yield* sql.unsafe<{ readonly definition: Readonly<Record<string, unknown>> | null }>(
    `select distinct on (webhook_id) definition from ${versions}
      where position < $1::bigint order by webhook_id, position desc, idx desc`,
    [`${position}`]
  )
  return rows.flatMap(({ definition }) => (definition === null ? [] : [rowFromJson(type, definition)]))
})

/** All versions of a webhook that are kept, in their order. */
export const versionsOf = Effect.fnUntraced(function* (webhook: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{
    readonly position: string
    readonly idx: string
    readonly definition: Readonly<Record<string, unknown>> | null
  }>(
    // By the columns and not by the texts of that name, of which '9' comes after '10'.
    `select v.position::text as position, v.idx::text as idx, v.definition from ${versions} v
      where v.webhook_id = $1::bigint order by v.position, v.idx`,
    [webhook]
  )
  return rows.map(({ position, idx, definition }): Version => ({
    webhook,
    position: BigInt(position),
    idx: Number(idx),
    row: definition === null ? undefined : rowFromJson(type, definition)
  }))
})

export const keepVersions = Effect.fnUntraced(function* (added: ReadonlyArray<Version>) {
  if (added.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const json = added.map(({ webhook, position, idx, row }) => ({
    webhook_id: webhook,
    position: `${position}`,
    idx,
    definition: row === undefined ? null : columnsOf(type, row)
  }))
  yield* sql.unsafe(
    `insert into ${versions} (webhook_id, position, idx, definition)
     select webhook_id, position, idx, definition - ${unkept} from jsonb_to_recordset($1::jsonb)
       as j (webhook_id bigint, position bigint, idx bigint, definition jsonb)
     on conflict (webhook_id, position, idx) do nothing`,
    [JSON.stringify(json)]
  )
})

/**
 * Webhooks as of a position in the WAL.
 *
 * The table of webhooks has their current state, but when capture resumes from an earlier position, it must match
 * events with the webhooks of that time. So every version of a webhook is kept with the position of its change, until
 * capture has passed the next version for good.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { columnOf } from "../inventory/ObjectType.ts"
import { objectType } from "../inventory/Registry.ts"
import type Webhook from "../inventory/types/extras/Webhook.ts"
import { columnsOf, rowFromJson } from "../inventory/derive/values/Row.ts"
import type { Table } from "../postgres/migrate/Table.ts"
import { positionOf } from "../event/Position.ts"
import { type MatchFields, type WebhookRow, matchFields } from "./WebhookIndex.ts"

const type = objectType<typeof Webhook>("extras.webhook")

export const versionTable: Table = {
  name: "rackwire_webhook_version",
  daily: false,
  columns: [
    { name: "webhook_id", type: "bigint", nullable: false },
    { name: "position", type: "bigint", nullable: false },
    { name: "idx", type: "bigint", nullable: false },
    // Null if the webhook was deleted.
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
  /** Undefined if the webhook was deleted. */
  readonly row: KeptRow | undefined
}

/** The row of a webhook as its versions keep it. */
type KeptRow = MatchFields & Pick<WebhookRow, "id" | "name">

/** Marks that the webhooks of an epoch's start were recorded; no webhook has this id. */
const baseline = 0

const versions = versionTable.name

/**
 * Columns that are kept: those that matching needs, the name for explanations, and the time of the change for deliver.
 * Credentials should not be kept as long as versions, and long texts need not be.
 */
const kept = ["id", "name", "last_updated", ...matchFields.map((name) => columnOf(type, name))]

/** SQL: the kept columns of a definition. */
const keptOf = (definition: string): string => `
  (select jsonb_object_agg(key, value) from jsonb_each(${definition}) where key = any('{${kept.join(",")}}'::text[]))`

/**
 * The webhooks as of a position of the epoch that begins at `epochBegin`. Deletes versions that are no
 * longer needed: a later one precedes everything that the webhook may still be owed (`open`, a table: what is unfinished,
 * and what a flood owes).
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
     select t.id, first.position, 0, ${keptOf("to_jsonb(t)")} from ${type.table} t, first`,
    [`${position}`, `${epochBegin}`]
  )
  // An earlier release kept other columns too.
  yield* sql.unsafe(
    `update ${versions} set definition = ${keptOf("definition")}
      where webhook_id <> ${baseline} and definition - '{${kept.join(",")}}'::text[] <> '{}'`
  )
  yield* sql.unsafe(
    `delete from ${versions} v using ${versions} later left join ${open} o using (webhook_id)
      where later.webhook_id = v.webhook_id and (later.position, later.idx) > (v.position, v.idx)
        and later.position < least($1::bigint, o.open_position, case
          when (o.flood_after_position, o.flood_after_idx) < (o.flood_until_position, o.flood_until_idx)
          then o.flood_after_position end)`,
    [`${position}`]
  )
  const found: Array<KeptRow> = []
  for (let last = "-1"; ;) {
    const page = yield* sql.unsafe<{ readonly id: string; readonly definition: Definition | null }>(pageStatement, [
      `${position}`,
      last
    ])
    if (page.length === 0) return found
    last = page.at(-1)!.id
    for (const { definition } of page) if (definition !== null) found.push(rowFromJson(type, definition))
  }
})

type Definition = Readonly<Record<string, unknown>>

/** Most characters of the definitions of one page; a single one may be longer. */
const pageCharsMax = 8 << 20

/** The next webhooks after $2 as of $1, whose conditions fit on one page. */
const pageStatement = `
  select webhook_id::text as id, definition from (
    select *, sum(size) over (order by webhook_id) - size as size_before from (
      select distinct on (webhook_id) webhook_id, definition, coalesce(octet_length(definition::text), 4) as size
        from ${versions} where position < $1::bigint and webhook_id > $2::text::bigint
       order by webhook_id, position desc, idx desc) latest) sized
   where size_before < ${pageCharsMax} order by webhook_id`

/** The kept versions of a webhook, in order. */
export const versionsOf = Effect.fnUntraced(function* (webhook: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{
    readonly position: string
    readonly idx: string
    readonly definition: Readonly<Record<string, unknown>> | null
  }>(
    // Qualified, because the output columns of these names are texts, and '9' sorts after '10'.
    `select v.position::text as position, v.idx::text as idx, v.definition from ${versions} v
      where v.webhook_id = $1::bigint order by v.position, v.idx`,
    [webhook]
  )
  return rows.map(({ position, idx, definition }): Version => ({
    webhook,
    ...positionOf({ position, idx }),
    row: definition === null ? undefined : rowFromJson(type, definition)
  }))
})

export const keepVersions = Effect.fnUntraced(function* (added: ReadonlyArray<Version>) {
  if (added.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const json = added.map(({ webhook, position, idx, row }) => {
    const columns = row === undefined ? undefined : columnsOf(type, row)
    const definition = columns === undefined ? null : Object.fromEntries(kept.map((name) => [name, columns[name]]))
    return { webhook_id: webhook, position: `${position}`, idx, definition }
  })
  yield* sql.unsafe(
    `insert into ${versions} (webhook_id, position, idx, definition)
     select webhook_id, position, idx, definition from jsonb_to_recordset($1::jsonb)
       as j (webhook_id bigint, position bigint, idx bigint, definition jsonb)
     on conflict (webhook_id, position, idx) do nothing`,
    [JSON.stringify(json)]
  )
})

/**
 * The webhooks that would fire for changes that are not committed. For previews: it decides in the transaction that
 * makes the changes, before that is rolled back, and decides as capture would.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inSlices } from "../eventloop/Slices.ts"
import { columnOf } from "../inventory/ObjectType.ts"
import { objectType } from "../inventory/Registry.ts"
import type Webhook from "../inventory/types/extras/Webhook.ts"
import { rowFromJson } from "../inventory/derive/values/Row.ts"
import { SharedBudget } from "./Budget.ts"
import { type ScopedEvent, firedNow } from "./Scope.ts"
import { WebhookIndex, type WebhookRow, matchFields } from "./WebhookIndex.ts"

const type = objectType<typeof Webhook>("extras.webhook")

/** Most webhooks that are evaluated. */
const webhooksMax = 1000

type Change = Omit<ScopedEvent, "xid" | "scoped">

interface WouldFire {
  /** Ids of the webhooks that would fire, and of those among them that are paused. */
  readonly fires: ReadonlySet<number>
  readonly paused: ReadonlySet<number>
  /** How often each of them would fire. */
  readonly times: ReadonlyMap<number, number>
  /** Ids of the webhooks that may fire for the changes that follow; their conditions are not evaluated. */
  readonly mayFire: ReadonlySet<number>
  /** Whether there are more webhooks than were evaluated. */
  readonly isPartial: boolean
}

/** `following`: the kinds of changes that accompany these. */
export const wouldFire = Effect.fnUntraced(function* (
  changes: ReadonlyArray<Change>,
  following: ReadonlyArray<Pick<Change["subject"], "type" | "kind">>
) {
  const types = [...new Set([...changes.map(({ subject }) => subject), ...following].map((each) => each.type))]
  const rows = yield* enabledFor(types)
  const index = new WebhookIndex()
  const shared = new SharedBudget()
  const matching = function* (): Generator<void, ReadonlyArray<ReadonlyArray<number>>> {
    for (const row of rows.slice(0, webhooksMax)) {
      index.set(row.id, row)
      yield
    }
    const found: Array<ReadonlyArray<number>> = []
    for (const { subject } of changes) found.push(yield* index.matching(subject, shared))
    return found
  }
  const matched = yield* inSlices(matching())
  const scoped = yield* firedNow(
    index,
    changes.map((change) => ({ ...change, scoped: index.scoped(change.subject) })),
    shared
  )
  const times = new Map<number, number>()
  for (const webhook of [...matched.flat(), ...scoped.flat().map((each) => each.webhook)]) {
    times.set(webhook, (times.get(webhook) ?? 0) + 1)
  }
  const fires = new Set(times.keys())
  const may = following.flatMap((each) => [
    ...index.asking(each.type, each.kind),
    ...index.scoped({ ...each, data: null }).map(({ webhook }) => webhook)
  ])
  return {
    fires,
    times,
    paused: new Set(rows.flatMap(({ id, paused }) => (paused === true && fires.has(id) ? [id] : []))),
    mayFire: new Set(may).difference(fires),
    isPartial: rows.length > webhooksMax
  } satisfies WouldFire
})

const columns = ["id", "paused", ...matchFields.map((name) => columnOf(type, name))].join(", ")

const enabledFor = Effect.fnUntraced(function* (types: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.unsafe<{ readonly row: Readonly<Record<string, unknown>> }>(
    `select row_to_json(t) as row from (
       select ${columns} from ${type.table} where enabled and source_id is null and content_types && $1::text[]
        order by id limit ${webhooksMax + 1}) t`,
    [types]
  )
  return found.map(({ row }): WebhookRow => rowFromJson(type, row))
})

/**
 * Takes NetBox's webhooks over: makes them here, disabled, and then switches each of them off there and on here at one
 * position, so that no change is sent by both or by none.
 *
 * NetBox reads which webhooks are enabled a moment after the commit of a request. So the switch first waits until no
 * transaction writes changes, and lets none begin; waits until the requests that ended before have read their webhooks;
 * and disables them in a transaction whose message says from which position on they are sent here. Requests that wait
 * meanwhile, for `settleSeconds`, find them disabled.
 */
import { Effect, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { reveal } from "../Config.ts"
import { textsIn } from "../inventory/Field.ts"
import { objectType } from "../inventory/Registry.ts"
import { Vault } from "../inventory/Vault.ts"
import { create } from "../inventory/write/Write.ts"
import type { WriteRefused } from "../inventory/write/WriteRefused.ts"
import { switchPrefix, switchText } from "../source/netbox/SwitchMessage.ts"
import { tableIn } from "./AttachSql.ts"
import type { AttachFacts } from "./Facts.ts"
import { onSource } from "./SourceDatabase.ts"
import { type Takeover, switchSql } from "./Takeover.ts"

const webhookType = objectType("extras.webhook")

/** Seconds within which a request of NetBox reads its webhooks after its commit. */
export const settleSeconds = 2

/** Time to wait for transactions that write changes, milliseconds. */
const lockMillisMax = 10_000

interface MadeWebhook {
  readonly takeover: Takeover
  /** Its id here; undefined where it was not made. */
  readonly id: number | undefined
  /** Why not, or what differs. */
  readonly sentences: ReadonlyArray<string>
}

/**
 * Makes the webhooks of a source here, disabled; one that was made before stays as it is. Each that is refused says why;
 * the others are made.
 */
export const makeWebhooks = (source: number, takeovers: ReadonlyArray<Takeover>, requestId: string) =>
  Effect.forEach(takeovers, (takeover) =>
    Effect.gen(function* () {
      const { fields, secret, differences } = takeover
      const sentences = differences.map(({ sentence }) => sentence)
      if (fields === undefined) return { takeover, id: undefined, sentences } satisfies MadeWebhook
      const known = yield* webhookNamed(source, fields.name)
      if (known !== undefined) return { takeover, id: known, sentences } satisfies MadeWebhook
      // Blank takes the default.
      const { timeout, ...rest } = fields
      const body = { ...rest, ...(timeout !== null && { timeout }), source, secret: reveal(secret) }
      return yield* create(webhookType, [body], { username: "", requestId }).pipe(
        Effect.map(([made]): MadeWebhook => ({ takeover, id: made!.row.id, sentences })),
        Effect.catchTag("WriteRefused", ({ errors }) =>
          Effect.succeed<MadeWebhook>({ takeover, id: undefined, sentences: refusalsIn(errors) })
        )
      )
    })
  )

const refusalsIn = (errors: WriteRefused["errors"]): ReadonlyArray<string> =>
  errors.flatMap((each) =>
    Object.entries(each).map(([name, messages]) => `It is refused here: ${name}: ${textsIn(messages).join(" ")}`)
  )

const webhookNamed = Effect.fnUntraced(function* (source: number, name: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: string }>`
    select id::text as id from extras_webhook where name = ${name} and source_id = ${`${source}`}::text::bigint`
  return row && Number(row.id)
})

/** Switches the webhooks that are enabled there. Fails where NetBox's database refuses; then none is switched. */
export const switchWebhooks = (
  databaseUrl: Redacted.Redacted,
  facts: AttachFacts,
  source: number,
  made: ReadonlyArray<MadeWebhook>
) =>
  Effect.gen(function* () {
    const { seal } = yield* Vault
    const switched = made.filter(({ id, takeover }) => id !== undefined && takeover.isEnabled)
    if (switched.length === 0) return switched
    const content = seal(
      switchText(
        source,
        switched.map(({ id }) => id!)
      )
    )
    yield* onSource(databaseUrl, (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`set local lock_timeout = '${lockMillisMax}ms'`)
          yield* sql.unsafe(`lock table ${tableIn(facts, facts.changeTable!.name)} in share mode`)
          yield* Effect.sleep(`${settleSeconds} seconds`)
          for (const { takeover } of switched) yield* sql.unsafe(switchSql(takeover, facts))
          yield* sql.unsafe("select pg_logical_emit_message(true, $1, $2)::text", [switchPrefix, content])
        })
      )
    )
    return switched
  })

/** The webhooks and event rules of a NetBox, read from its database. */
import { Effect, type Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Servers } from "../embedded/Servers.ts"
import { AttachError } from "./AttachError.ts"
import { tableIn } from "./AttachSql.ts"
import type { AttachFacts } from "./Facts.ts"
import { onSource } from "./SourceDatabase.ts"
import { type NetBoxRule, ruleBytesMax } from "./Takeover.ts"

/** Rules of a statement, and most rules of a NetBox. */
const pageRules = 10
const rulesMax = 2000

/** Most object types of a rule. */
const typesMax = 1000

const nameCharsMax = 150

/** SQL of a row, null if it is too large. */
const bounded = (alias: string): string =>
  `case when octet_length(to_jsonb(${alias})::text) <= ${ruleBytesMax} then to_jsonb(${alias}) end`

/** Reads the rules in the order of their ids; webhooks that no rule names are behind them. */
export const readRules = (
  databaseUrl: Redacted.Redacted,
  facts: Pick<AttachFacts, "schema" | "webhookTables">
): Effect.Effect<ReadonlyArray<NetBoxRule>, AttachError, Servers> =>
  onSource(databaseUrl, (sql) =>
    Effect.gen(function* () {
      const rules: Array<NetBoxRule> = []
      for (const statement of statementsFor(facts))
        rules.push(...(yield* pagesOf(sql, statement, rulesMax - rules.length)))
      return rules
    })
  )

const pagesOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  statement: string,
  most: number
): Effect.fn.Return<ReadonlyArray<NetBoxRule>, AttachError | SqlError.SqlError> {
  const rules: Array<NetBoxRule> = []
  for (let last = "0"; ;) {
    const page = yield* sql.unsafe<{ readonly rule: FoundRule }>(statement, [last])
    rules.push(...page.map(({ rule }) => asRule(rule)))
    if (rules.length > most) {
      const message = `The database has more than ${rulesMax} webhooks and event rules.`
      return yield* new AttachError({ reason: "Refused", message })
    }
    if (page.length < pageRules) return rules
    last = page.at(-1)!.rule.id
  }
})

interface FoundRule extends Omit<NetBoxRule, "webhook"> {
  /** Null if there is none. */
  readonly webhook: { readonly row: NonNullable<NetBoxRule["webhook"]> | null } | null
}

const asRule = ({ webhook, ...rule }: FoundRule): NetBoxRule => ({ ...rule, webhook: webhook?.row })

/** Statements that read a page of rules behind the id $1, by the tables of the release. */
const statementsFor = (facts: Pick<AttachFacts, "schema" | "webhookTables">): ReadonlyArray<string> => {
  const { webhookTables } = facts
  const named = (table: string) => tableIn(facts, table)
  const has = (table: string) => webhookTables.includes(table)
  // The column of the type has the name of its model, which 4.0 changed.
  const types = (through: string, owner: string) =>
    `array(select c.app_label || '.' || c.model from ${named(through)} m
        join ${named("django_content_type")} c
          on c.id::text = coalesce(to_jsonb(m) ->> 'objecttype_id', to_jsonb(m) ->> 'contenttype_id')
       where m.${owner} = t.id order by 1 limit ${typesMax})`
  const page = (table: string, more: Readonly<Record<string, string>>, where = "true") => {
    const parts = {
      id: "t.id::text",
      table: `'${table}'`,
      name: `left(t.name, ${nameCharsMax})`,
      row: bounded("t"),
      ...more
    }
    const columns = Object.entries(parts).map(([name, expression]) => `'${name}', ${expression}`)
    return `select jsonb_build_object(${columns.join(", ")}) as rule from ${named(table)} t
             where t.id > $1::text::bigint and ${where} order by t.id limit ${pageRules}`
  }
  if (!has("extras_webhook")) return []
  if (!has("extras_eventrule")) {
    return [page("extras_webhook", { types: types("extras_webhook_content_types", "webhook_id"), webhook: "null" })]
  }
  const through = ["extras_eventrule_object_types", "extras_eventrule_content_types"].find(has)
  const isOfWebhook = "t.action_type = 'webhook'"
  return [
    page("extras_eventrule", {
      types: through === undefined ? "array[]::text[]" : types(through, "eventrule_id"),
      webhook: `(select jsonb_build_object('row', ${bounded("w")}) from ${named("extras_webhook")} w
                  where w.id = t.action_object_id and ${isOfWebhook})`
    }),
    page(
      "extras_webhook",
      { types: "array[]::text[]", webhook: "null" },
      `not exists (select from ${named("extras_eventrule")} r where r.action_object_id = t.id and r.action_type = 'webhook')`
    )
  ]
}

import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { objectType } from "../../src/inventory/Registry.ts"
import type Webhook from "../../src/inventory/types/extras/Webhook.ts"
import { rowFromJson } from "../../src/inventory/derive/values/Row.ts"
import { keepVersions, versionsAt, versionsOf } from "../../src/match/WebhookVersions.ts"
import { watermarkTable } from "../../src/queue/reconcile/Watermarks.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
})
afterAll(() => database.drop())

const run = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.orDie(effect), PgClient.layer({ url: Redacted.make(database.databaseUrl) })))

it("versions of a webhook come in the order of the WAL, for positions of any length", async () => {
  const places = [
    [99n, 9],
    [99n, 10],
    [100n, 2]
  ] as const
  const versions = places.map(([position, idx]) => ({ webhook: 900, position, idx, row: undefined }))
  const found = await run(Effect.andThen(keepVersions(versions.toReversed()), versionsOf(900)))
  expect(found).toEqual(versions)
})

describe("a version keeps what matching uses, and nothing else", () => {
  const kept = [
    ...["conditions", "content_types", "enabled", "id", "last_updated", "name", "scope_user_id", "source_id"],
    ...["type_create", "type_delete", "type_update"]
  ]

  /** The row of a new webhook, as `row_to_json` of its table. */
  const inserted = async (name: string) => {
    const [found] = await database.sql.query<{ readonly row: Readonly<Record<string, unknown>> }>(
      `insert into extras_webhook as t (name, payload_url, content_types, type_create, conditions, timeout, secret)
       values ($1, 'http://localhost/', '{extras.tag}', true, '{"attr": "slug", "value": 1e400}', 7, 'sealed')
       returning row_to_json(t) as row`,
      [name]
    )
    return found!.row
  }

  const keysOf = async (webhook: unknown) => {
    const rows = await database.sql.query<{ readonly keys: ReadonlyArray<string> }>(
      `select array(select jsonb_object_keys(definition) order by 1) as keys from rackwire_webhook_version
        where webhook_id = $1::bigint order by position`,
      [String(webhook)]
    )
    return rows.map(({ keys }) => keys)
  }

  const type = objectType<typeof Webhook>("extras.webhook")

  it("when it is written, at the beginning of an epoch, and where an earlier release kept more", async () => {
    const row = await inserted("kept")
    const id = Number(row["id"])
    await run(keepVersions([{ webhook: id, position: 200n, idx: 0, row: rowFromJson(type, row) }]))
    expect(await keysOf(id)).toEqual([kept])
    await database.sql.query(
      `insert into rackwire_webhook_version (webhook_id, position, idx, definition)
       select t.id, 300, 0, to_jsonb(t) from extras_webhook t`
    )
    const found = await run(versionsAt(400n, 0n, watermarkTable.name))
    const before = await database.sql.query("select xmin::text from rackwire_webhook_version order by webhook_id")
    expect((await keysOf(id)).every((keys) => keys.join() === kept.join())).toBe(true)
    expect(found.find((each) => each.id === id)).toMatchObject({
      ...{ name: "kept", content_types: ["extras.tag"], type_create: true, type_delete: false, scope_user: null },
      last_updated: expect.any(String)
    })
    // A second look has nothing to change.
    await run(versionsAt(400n, 0n, watermarkTable.name))
    expect(await database.sql.query("select xmin::text from rackwire_webhook_version order by webhook_id")).toEqual(
      before
    )
  })
})

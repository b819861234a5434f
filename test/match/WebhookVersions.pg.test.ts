import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { keepVersions, versionsOf } from "../../src/match/WebhookVersions.ts"
import { makeDatabase } from "../support/Database.ts"

it("versions of a webhook come in the order of the WAL, for positions of any length", async () => {
  const { databaseUrl, drop } = await makeDatabase()
  const places = [
    [99n, 9],
    [99n, 10],
    [100n, 2]
  ] as const
  const versions = places.map(([position, idx]) => ({ webhook: 1, position, idx, row: undefined }))
  const found = await Effect.andThen(keepVersions(versions.toReversed()), versionsOf(1)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(databaseUrl) })),
    Effect.runPromise
  )
  expect(found).toEqual(versions)
  await drop()
})

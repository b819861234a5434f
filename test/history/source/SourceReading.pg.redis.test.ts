/** The read model of a source. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, expect, it } from "vitest"
import { sourceReading } from "../../../src/history/source/SourceReading.ts"
import { type Api, startApiAlone } from "../../support/Api.ts"
import { onPool } from "../../support/OnPool.ts"

let api: Api

beforeAll(async () => {
  // No source is read meanwhile.
  api = await startApiAlone()
})

afterAll(() => api.stop())

const reading = (id: number, name = "branch") =>
  onPool(api.database.databaseUrl, (sql) =>
    Effect.provideService(sourceReading({ id, name }), SqlClient.SqlClient, sql)
  )

it("has no progress and no gaps where no process has begun to read", async () => {
  expect(await reading(1)).toEqual({ progress: null, gaps: [] })
})

it("has the progress of its own source, with amounts and ids as they are stored", async () => {
  await api.database.sql.query(
    `insert into rackwire_source (source_id, generation, holder, confirmed_lsn, lag_bytes, retained_bytes,
                                  last_change_id, last_change_at, read_at, events, problem)
     values (2, 3, 'host:1', '16/B374D848', 1000, 5000000000, 9223372036854775807, '2026-11-29T02:00:00Z',
             now() - interval '1 hour', 12, 'slow'), (3, 1, 'host:2', null, null, null, null, null, null, 0, '')`
  )
  expect((await reading(2)).progress).toEqual({
    ...{ holder: "host:1", confirmedLsn: "16/B374D848", lagBytes: 1000, retainedBytes: 5_000_000_000 },
    ...{ lastChangeId: "9223372036854775807", lastChangeAt: "2026-11-29T02:00:00+00:00", events: 12, problem: "slow" },
    silentMillis: expect.any(Number)
  })
  expect((await reading(2)).progress!.silentMillis).toBeGreaterThanOrEqual(3_600_000)
  expect((await reading(3)).progress).toMatchObject({ silentMillis: null, lagBytes: null, lastChangeId: null })
})

it("has the gaps of its types, and gaps by its name where no type was read, the unacknowledged ones first", async () => {
  const gaps: ReadonlyArray<readonly [cause: string, reason: string, types: string | null, acknowledged: boolean]> = [
    ["source", "source branch: of an acknowledged gap", "{4:dcim.site}", true],
    ["source", "source branch: lost", "{4:dcim.site,4:dcim.rack}", false],
    ["source", "source branch: before types were read", "{}", false],
    ["source", "source branch2: of another name", "{}", false],
    ["source", "source branch: of another source", "{44:dcim.site}", false],
    ["slot", "source branch: of the inventory", "{4:dcim.site}", false],
    ["source", "source branch: of all types", null, false]
  ]
  for (const [at, [cause, reason, types, acknowledged]] of gaps.entries()) {
    await api.database.sql.query(
      `insert into rackwire_gap (cause, reason, object_types, since, until, from_position, to_position, acknowledged)
       values ($1, $2, $3::text[], now(), now(), $4, $4, case when $5 then now() end)`,
      [cause, reason, types, at, acknowledged]
    )
  }
  expect((await reading(4)).gaps.map(({ reason }) => reason.replace("source branch: ", ""))).toEqual([
    "before types were read",
    "lost",
    "of an acknowledged gap"
  ])
})

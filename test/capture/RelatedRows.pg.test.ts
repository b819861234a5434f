/**
 * Postgres writes a commit to the WAL before it shows its rows. Here the transaction of a change that was read is still
 * open, which is the same for a load.
 */
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ObjectChange, Readable } from "../../src/capture/fold/Change.ts"
import { RelatedRows } from "../../src/capture/fold/RelatedRows.ts"
import { visibilityIn } from "../../src/capture/fold/SeenTransactions.ts"
import { Pace, scaledPace } from "../../src/eventloop/Pace.ts"
import { Clearance } from "../../src/inventory/Clearance.ts"
import type { Row } from "../../src/inventory/Field.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"

let database: TestDatabase
beforeAll(async () => {
  database = await makeDatabase()
  await database.sql.query("insert into dcim_region (id, name, slug) values (1, 'before', 'r')")
})
afterAll(() => database.drop())

/** A window with a change of a site in the region. */
const windowOf = (xid: number) => {
  const row = { id: 7, region: 1, tags: [], custom_fields: {} } as unknown as Row
  const after: Readable = { id: 7, row: () => row }
  const change: ObjectChange<Readable> = {
    ...{ type: objectType("dcim.site"), kind: "created", before: undefined, after, last: after, idx: 0 },
    context: undefined
  }
  const anonymous = { username: "", requestId: "00000000-0000-8000-a000-000000000000" }
  const transaction = { commitLsn: 1n, xid, timestamp: "2026-11-20T23:48:01Z", anonymous }
  return { transaction, changes: [change], moved: undefined }
}

const nameIn = (related: RelatedRows) => related.find("dcim.region", 1)?.["name"]

/** Gives the region a name in a transaction that ends with `end`. */
const renaming = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const written = yield* Deferred.make<number>()
  const end = yield* Deferred.make<void>()
  const transaction = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`update dcim_region set name = ${name} where id = 1`
        const [row] = yield* sql<{ readonly xid: number }>`
          select mod(pg_current_xact_id()::text::numeric, 4294967296)::float8 as xid`
        yield* Deferred.succeed(written, row!.xid)
        yield* Deferred.await(end)
      })
    )
  )
  const xid = yield* Deferred.await(written)
  return { xid, end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(transaction)) }
})

const run = async <A, E>(visibleMillis: number, program: Effect.Effect<A, E, SqlClient.SqlClient | Clearance>) => {
  const usual = scaledPace(1)
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      PgClient.layer({ url: Redacted.make(database.databaseUrl), maxConnections: 3 }),
      Clearance.unrestricted,
      Layer.succeed(Pace, { ...usual, capture: { ...usual.capture, visibleMillis } })
    )
  )
  await runtime.runPromise(program)
  await runtime.dispose()
}

describe("a related row", () => {
  test("is loaded when the transactions in the WAL so far can be seen", () =>
    run(
      60_000,
      Effect.gen(function* () {
        const { xid, end } = yield* renaming("after")
        const related = new RelatedRows()
        const loading = yield* Effect.forkChild(related.load([windowOf(xid)]))
        yield* Effect.raceFirst(Effect.asVoid(Fiber.await(loading)), Effect.sleep(100))
        yield* end
        yield* Fiber.join(loading)
        expect(nameIn(related)).toBe("after")
      })
    ))

  test("that was read too early is not kept", () =>
    run(
      1,
      Effect.gen(function* () {
        const { xid, end } = yield* renaming("later")
        const related = new RelatedRows()
        yield* related.load([windowOf(xid)])
        expect(nameIn(related)).toBe("after")
        yield* end
        yield* related.load([windowOf(xid)])
        expect(nameIn(related)).toBe("later")
      })
    ))

  test("is loaded again behind a transaction that moved rows of its type, which are not read", () =>
    run(
      60_000,
      Effect.gen(function* () {
        const related = new RelatedRows()
        yield* related.load([windowOf(3)])
        const { xid, end } = yield* renaming("moved")
        yield* end
        const { transaction } = windowOf(xid)
        const moved = (type: string) => ({ transaction, changes: [], moved: new Set([objectType(type)]) })
        yield* related.load([moved("dcim.device"), windowOf(xid)])
        expect(nameIn(related)).toBe("later")
        yield* related.load([moved("dcim.region"), windowOf(xid)])
        expect(nameIn(related)).toBe("moved")
      })
    ))
})

describe("a snapshot", () => {
  test.each([
    ["10:20:", 9, true],
    ["10:20:", 19, true],
    ["10:20:", 20, false],
    ["10:20:12,14", 12, false],
    ["10:20:12,14", 13, true],
    // Behind 2^32 the lower bits begin again.
    ["4294967290:4294967300:4294967299", 4_294_967_295, true],
    ["4294967290:4294967300:4294967299", 3, false],
    ["4294967290:4294967300:4294967299", 2, true],
    ["4294967290:4294967300:4294967299", 4, false]
  ])("%s shows %d: %s", (snapshot, xid, isVisible) => {
    expect(visibilityIn(snapshot)(xid)).toBe(isVisible)
  })
})

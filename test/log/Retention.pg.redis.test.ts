/** The delivery log is kept for so many days. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { startService } from "../support/Service.ts"
import { thorough } from "../support/Seed.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
})

afterAll(() => database.drop())

const start = (retention: Record<string, string> = { DELIVERY_RETENTION: "3" }) =>
  startService({
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: database.redisUrl,
    RACKWIRE_SLOT: database.slot,
    SECRET_KEY: "a key for tests, of sufficient length",
    ...retention
  })

/** The days that the table has, counted from today. */
const days = async (table: string): Promise<ReadonlyArray<number>> => {
  const rows = await database.sql.query<{ readonly day: string }>(
    `select (to_date(right(relname, 8), 'YYYYMMDD') - (now() at time zone 'UTC')::date)::text as day
       from pg_inherits join pg_class on oid = inhrelid where inhparent = $1::regclass order by relname`,
    [table]
  )
  return rows.map(({ day }) => Number(day))
}

thorough("has a partition per day, and drops partitions that are too old", async () => {
  const tables = ["extras_delivery", "rackwire_attempt"]
  await (await start()).stop()
  for (const table of tables) {
    await database.sql.query(
      `select rackwire_add_day($1, (now() at time zone 'UTC')::date - n)::text from generate_series(2, 20) n`,
      [table]
    )
  }
  const service = await start()
  try {
    for (const table of tables) {
      await expect.poll(() => days(table)).toEqual([-3, -2, 0, 1])
    }
  } finally {
    await service.stop()
  }
})

it("of the change log keeps the days from which something is still owed", async () => {
  await database.sql.query(
    `select rackwire_add_day('extras_objectchange', (now() at time zone 'UTC')::date - n)::text from generate_series(2, 9) n`
  )
  await database.sql.query(`select rackwire_add_day('extras_delivery', (now() at time zone 'UTC')::date - 6)::text`)
  await database.sql.query(
    `insert into extras_delivery (delivery_id, webhook_id, status, event, object_type, object_id, request_id, time,
                                  position, idx, attempts, reason, message)
     values ('1-1-1', 1, 'retrying', 'created', 'dcim.site', 1, gen_random_uuid(), now() - interval '6 days', 1, 1, 1, '', '')`
  )
  const service = await start({ DELIVERY_RETENTION: "30", CHANGELOG_RETENTION: "3" })
  try {
    await expect.poll(() => days("extras_objectchange")).toEqual([-6, -5, -4, -3, -2, 0, 1])
  } finally {
    await service.stop()
  }
})

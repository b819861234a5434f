/** Which server of a real pair is connected to: its failover is in test/failover. */
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { onPool } from "../support/OnPool.ts"
import { type PostgresPair, startPostgresPair } from "../support/PostgresPair.ts"

let pair: PostgresPair

beforeAll(async () => {
  pair = await startPostgresPair()
})

afterAll(() => pair?.stop())

it("a standby is passed over by statements and transactions, and is named where it is alone", async () => {
  const [standby, primary] = [pair.standbyPort, pair.primaryPort].map((port) => `127.0.0.1:${port}`)
  for (const authority of [`${standby},${primary}`, `${primary},${standby}`]) {
    const found = await onPool(pair.urlAt(authority), (sql) =>
      Effect.all([
        sql`select pg_is_in_recovery() as standby`,
        sql.withTransaction(sql`select pg_is_in_recovery() as standby`)
      ])
    )
    expect(found).toEqual([[{ standby: false }], [{ standby: false }]])
  }
  const alone = onPool(pair.urlAt(standby!), (sql) => sql`select 1 as one`)
  await expect(alone).rejects.toMatchObject({ reason: { cause: { message: `${standby} is a standby` } } })
})

it("a standby alone is refused by replication", async () => {
  await expect(Walsender.connect(addressOf(pair.urlAt(`127.0.0.1:${pair.standbyPort}`)))).rejects.toMatchObject({
    reason: "Transport",
    message: "the server is a standby"
  })
})

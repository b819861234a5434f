/** A server that decodes only WAL without output sends nothing while the client reports regularly: it must be asked. */
import { expect, it } from "vitest"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { makeEmptyDatabase } from "../support/Database.ts"

/** Requests for a keepalive: many more than the server sends of its own accord, which were four in nine seconds. */
const requests = 50

// Postgres sends a message every fifteen seconds by itself, when it has logged its running transactions.
it("an idle server answers a request for a keepalive", async () => {
  const { databaseUrl, slot, sql, drop } = await makeEmptyDatabase()
  await sql.query("create publication nothing")
  await sql.query("select pg_create_logical_replication_slot($1, 'pgoutput')::text", [slot])
  const walsender = await Walsender.connect(addressOf(databaseUrl))
  let end = 0n
  let heard = 0
  await walsender.stream(
    `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names 'nothing', messages 'true')`,
    {
      onData: () => {},
      onKeepalive: (walEnd) => {
        end = walEnd
        heard += 1
      },
      onChunkEnd: () => {},
      onEnd: () => {}
    }
  )
  for (let n = 0; n < requests; n++) walsender.sendStatus(end, end, true)
  await expect.poll(() => heard, { timeout: 9000 }).toBeGreaterThanOrEqual(requests)
  expect(end).toBeGreaterThan(0n)
  walsender.close()
  await drop()
})

/**
 * `DATABASE_URL=… npm run fill -- --deliveries 10000000 --webhooks 1000`: fills a migrated database with a delivery log,
 * spread over 30 days, to look at the pages and the API with much in them. The days are emptied first.
 */
import { parseArgs } from "node:util"
import { openSql } from "../test/support/Sql.ts"
import { fillLog } from "../test/support/FilledLog.ts"

const { values } = parseArgs({
  options: {
    deliveries: { type: "string", default: "1000000" },
    webhooks: { type: "string", default: "1000" },
    days: { type: "string", default: "30" },
    attempts: { type: "string", default: "20000" }
  }
})

const url = process.env["DATABASE_URL"]
if (url === undefined) {
  console.error("Set DATABASE_URL to a database of a Rackwire that has started once.")
  process.exit(1)
}
const sql = openSql(url)
await fillLog(sql, {
  deliveries: Number(values.deliveries),
  webhooks: Number(values.webhooks),
  days: Number(values.days),
  attempts: Number(values.attempts)
})
await sql.close()

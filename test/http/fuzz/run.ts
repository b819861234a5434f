/**
 * `npm run fuzz:http -- [--seed n] [--requests 50000] [--only n]`: sends hostile requests to a service of its own over
 * every route. Prints those that were answered with 5xx, late or not at all; exits with 1 when there was one.
 * `--low-rights` sends them as users of few rights and as nobody, with a webhook at each hostile receiver beside them, and
 * also fails if a bystander waited or the service held more than `test/hostile/Bystander.ts` allows.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startProcess } from "../../support/Process.ts"
import { openSql } from "../../support/Sql.ts"
import { fuzzBeside } from "./Beside.ts"
import { type Plan, fuzz, told } from "./Fuzz.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    requests: { type: "string", default: "50000" },
    from: { type: "string", default: "0" },
    only: { type: "string" },
    "low-rights": { type: "boolean", default: false }
  }
})
const seed = Number(values.seed)
const first = Number(values.from)
const numbers =
  values.only === undefined
    ? Array.from({ length: Number(values.requests) }, (_, n) => first + n)
    : values.only.split(",").map(Number)

const directory = mkdtempSync(join(tmpdir(), "rackwire-fuzz-"))
const service = await startProcess({ RACKWIRE_DATA_DIR: directory, LOG_LEVEL: "Error" })
const sql = openSql(readFileSync(join(directory, "database-url"), "utf8").trim())
try {
  const from = performance.now()
  const onFailure: Plan["onFailure"] = (failure) => console.log(`${told(failure)}\n`)
  const verdict = values["low-rights"]
    ? await fuzzBeside(service, sql, { seed, numbers, onFailure })
    : await fuzz(service, sql, { seed, numbers, onFailure })
  const { failures, statuses, unavailable, slowestMillis, problems } = verdict
  for (const problem of problems) console.log(problem)
  const seconds = ((performance.now() - from) / 1000).toFixed(0)
  console.log(
    `seed ${seed}: ${numbers.length} requests in ${seconds} s, ${failures.length} failures, slowest ${slowestMillis.toFixed(0)} ms`
  )
  console.log(
    [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", ")
  )
  for (const [text, count] of unavailable) console.log(`503, ${count} times: ${text.slice(0, 200)}`)
  if (failures.length + problems.length > 0) {
    const log = join(tmpdir(), `rackwire-fuzz-${seed}.log`)
    writeFileSync(log, service.output())
    console.log(`log of the service: ${log}`)
    process.exitCode = 1
  }
} finally {
  await sql.close()
  await service.stop()
  rmSync(directory, { recursive: true, force: true })
}

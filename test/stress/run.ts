/**
 * `npm run test:stress -- <file>... [--times n] [--load n]`: repeats test files beside n busy loops, and tells how often
 * each file failed. Exits with 1 if one did. A race that no quiet machine shows is found so.
 */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { createVitest } from "vitest/node"
import Report from "../support/Report.ts"

const { values, positionals } = parseArgs({
  options: { times: { type: "string", default: "20" }, load: { type: "string", default: "2" } },
  allowPositionals: true
})
const times = Number(values.times)
const givenSeed = process.env["RACKWIRE_SEED"]

const busy = Array.from({ length: Number(values.load) }, () =>
  spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" })
)
const endLoad = () => {
  for (const process of busy) process.kill("SIGKILL")
}
process.once("exit", endLoad)

let files = 0
const failures = new Map<string, number>()
for (let round = 1; round <= times; round++) {
  // Workers start in each round, and inherit it.
  process.env["RACKWIRE_SEED"] = givenSeed ?? `${randomInt(1, 2 ** 31)}`
  console.log(`\n== round ${round} of ${times}`)
  // With servers of its own: what the workers of a round leave there, such as replication slots, would add up.
  const vitest = await createVitest("test", { watch: false, reporters: [new Report()] }, {}, {})
  const specifications = await vitest.globTestSpecifications(positionals)
  files = specifications.length
  if (files === 0) throw new Error(`no test file matches ${positionals.join(" ")}`)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, true)
  await vitest.close()
  const failed = testModules.filter((module) => !module.ok()).map(({ relativeModuleId }) => relativeModuleId)
  if (unhandledErrors.length > 0) failed.push("outside of a test")
  for (const name of failed) failures.set(name, (failures.get(name) ?? 0) + 1)
}
endLoad()
console.log(`\n${files} files, ${times} times each, beside ${values.load} busy loops`)
for (const [name, count] of failures) console.log(`${name} failed ${count} times`)
process.exit(failures.size === 0 ? 0 : 1)

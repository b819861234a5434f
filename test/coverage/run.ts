/**
 * `npm run test:coverage [-- --files]`: runs the first two tiers with the coverage of V8 and prints how many statements
 * of `src` ran, in workers and in services as processes; `--files` lists the files with others. Counting takes a fifth of
 * the processor time, so `test:long` counts and the gate does not.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Script, ranOf, statementsOf } from "./Statements.ts"

const { values } = parseArgs({ options: { files: { type: "boolean", default: false } } })

const folder = mkdtempSync(join(tmpdir(), "rackwire-coverage-"))
const tiers = ["--project", "test", "--project", "gate", "--reporter=./test/support/Report.ts"]
const { status } = spawnSync("npx", ["vitest", "run", ...tiers], {
  env: { ...process.env, NODE_V8_COVERAGE: folder },
  stdio: "inherit"
})

const sources = new URL("../../src/", import.meta.url)
const files = new Map<string, { readonly starts: ReadonlyArray<number>; readonly ran: Set<number> }>()
for (const path of readdirSync(sources, { recursive: true, encoding: "utf8" })) {
  if (!path.endsWith(".ts") || path.includes("asset/script")) continue
  const starts = statementsOf(readFileSync(new URL(path, sources), "utf8"))
  files.set(new URL(path, sources).href, { starts, ran: new Set() })
}

for (const name of readdirSync(folder)) {
  let result: ReadonlyArray<Script>
  try {
    result = (JSON.parse(readFileSync(join(folder, name), "utf8")) as { readonly result: ReadonlyArray<Script> }).result
  } catch {
    // A process that was killed while it wrote.
    continue
  }
  for (const script of result) {
    const file = files.get(script.url.split("?")[0]!)
    if (file !== undefined) for (const start of ranOf(file.starts, script)) file.ran.add(start)
  }
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
const all = sum(Array.from(files.values(), ({ starts }) => starts.length))
const ran = sum(Array.from(files.values(), (file) => file.ran.size))
console.log(`Statement coverage of src: ${((100 * ran) / all).toFixed(2)} % (${ran} of ${all})`)
if (values.files) {
  for (const [url, file] of files) {
    if (file.ran.size < file.starts.length)
      console.log(`${file.starts.length - file.ran.size} ${url.slice(sources.href.length)}`)
  }
}
rmSync(folder, { recursive: true })
process.exit(status ?? 1)

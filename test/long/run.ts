/**
 * `npm run test:long [-- --only text] [--fresh]`: everything at full size, one step after the other. A step that passed
 * on this commit is not repeated, so an interrupted run continues, with its seed; `--fresh` repeats all. Writes
 * `test-results/long.md` after each step, and exits with 1 if one failed. Run it before a release, and parts of it
 * whenever their subject changed.
 */
import { execFileSync, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { createWriteStream, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({ options: { only: { type: "string" }, fresh: { type: "boolean", default: false } } })

interface Step {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  /** Why it cannot run on this machine. */
  readonly unable?: string | undefined
}

const vitest = (...args: ReadonlyArray<string>) => [
  "npx",
  "vitest",
  "run",
  "--reporter=./test/support/Report.ts",
  ...args
]
const fuzz = (name: string, ...args: ReadonlyArray<string>) => ["npm", "run", "-s", `fuzz:${name}`, "--", ...args]

const [olderPostgres] = globSync("/usr/lib/postgresql/*/bin")
const journey = "../shared/acceptance/journey.mjs"
const isRoot = process.getuid?.() === 0
const has = (program: string): boolean => globSync(`/usr/{,local/}{,s}bin/${program}`).length > 0
const without = (isThere: boolean, need: string): string | undefined => (isThere ? undefined : `needs ${need}`)

const folder = "test-results"
mkdirSync(folder, { recursive: true })
const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim()

interface Result {
  readonly outcome: "passed" | "FAILED" | "unable"
  readonly seconds: number
  readonly note: string
}

interface State {
  /** Each run tries other generated data; `RACKWIRE_SEED` repeats that of another one. */
  readonly seed: string
  readonly results: Record<string, Result>
}

const stateFile = join(folder, `long-${commit.slice(0, 12)}.json`)
const continues = existsSync(stateFile) && !values.fresh
const { seed, results }: State = continues
  ? (JSON.parse(readFileSync(stateFile, "utf8")) as State)
  : { seed: process.env["RACKWIRE_SEED"] ?? `${randomInt(1, 2 ** 31)}`, results: {} }

/** The servers that the files copy (test/support/Servers.ts): an interrupted run leaves them to the one that continues. */
const servers = resolve(folder, "servers")
const removeServers = (): void => rmSync(servers, { recursive: true, force: true })
if (!continues) removeServers()
process.once("exit", removeServers)

/** Seeds of each fault run. */
const seeds = 20

const steps: ReadonlyArray<Step> = [
  ...globSync("test/**/*.long.*test.ts").map((file) => ({
    name: file,
    command: vitest("--project", "long", file),
    environment: { RACKWIRE_TEST_SERVERS: servers }
  })),
  ...["capture", "deliver", "restore", "attach"].map((suite) => ({
    name: `fault seeds: ${suite}`,
    command: [
      "npm",
      "run",
      "-s",
      "test:fault",
      "--",
      suite,
      "--seeds",
      `${seeds}`,
      "--seconds",
      "3",
      "--each-world",
      "10"
    ]
  })),
  { name: "fuzz: jinja", command: fuzz("jinja"), unable: without(has("python3"), "python3-jinja2") },
  { name: "fuzz: nunjucks", command: fuzz("nunjucks") },
  { name: "fuzz: conditions", command: fuzz("conditions"), unable: without(has("python3"), "python3") },
  { name: "fuzz: http", command: fuzz("http", "--requests", "5000") },
  { name: "coverage of the first two tiers", command: ["npm", "run", "-s", "test:coverage"] },
  {
    name: `the first two tiers with three times the effort, on ${olderPostgres ?? "the usual Postgres"}`,
    command: vitest("--project", "test", "--project", "gate"),
    environment: { RACKWIRE_EFFORT: "3", ...(olderPostgres !== undefined && { POSTGRES_BIN: olderPostgres }) }
  },
  {
    name: "the image",
    command: ["npm", "run", "-s", "test:image"],
    unable: without(isRoot && has("debootstrap"), "root and debootstrap")
  },
  {
    name: "the acceptance journey against one process for each role, on Valkey",
    command: ["node", "test/journey/run.ts", journey],
    unable: without(existsSync(journey), journey)
  }
]

/** Runs a command with its output in a file; returns the exit code and the last line that it printed. */
const run = (
  { command, environment }: Step,
  logFile: string
): Promise<{ readonly code: number; readonly last: string }> =>
  new Promise((resolve) => {
    const [program, ...args] = command
    const child = spawn(program!, args, {
      env: { ...process.env, RACKWIRE_SEED: seed, ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const log = createWriteStream(logFile)
    let tail = ""
    for (const output of [child.stdout, child.stderr])
      output.on("data", (chunk: Buffer) => {
        log.write(chunk)
        tail = (tail + chunk.toString()).slice(-2000)
      })
    child.once("close", (code) => {
      log.end()
      resolve({ code: code ?? 1, last: tail.trim().split("\n").at(-1) ?? "" })
    })
  })

const report = (): void => {
  writeFileSync(stateFile, JSON.stringify({ seed, results } satisfies State, undefined, 2))
  const rows = steps.flatMap(({ name }) => {
    const result = results[name]
    return result === undefined ? [] : [`| ${name} | ${result.outcome} | ${result.seconds} | ${result.note} |`]
  })
  const head = `# The long tests on ${commit.slice(0, 12)}, RACKWIRE_SEED=${seed}\n\n| step | outcome | seconds | |\n| --- | --- | --- | --- |\n`
  writeFileSync(join(folder, "long.md"), `${head}${rows.join("\n")}\n`)
}

for (const [at, step] of steps.entries()) {
  const { name, unable } = step
  if (values.only !== undefined && !name.includes(values.only)) continue
  if (results[name]?.outcome === "passed") continue
  const logFile = join(folder, `long-${at}.log`)
  const began = performance.now()
  const ended = unable === undefined ? await run(step, logFile) : undefined
  const outcome = ended === undefined ? "unable" : ended.code === 0 ? "passed" : "FAILED"
  const seconds = Math.round((performance.now() - began) / 1000)
  results[name] = { outcome, seconds, note: ended === undefined ? unable! : `${ended.last} (${logFile})` }
  console.log(`${outcome} ${name} (${seconds} s): ${results[name].note}`)
  report()
}
process.exit(Object.values(results).some(({ outcome }) => outcome === "FAILED") ? 1 : 0)

/**
 * `npm run test:long [-- --only text] [--jobs 2] [--fresh]`: everything at full size. Two steps run at a time
 * (`--jobs`); steps that use all cores or measure times run alone, at the end. A step that passed counts until a
 * commit changes a file that it may depend on: an interrupted run continues, with its seed, and after a repair of one
 * file of tests the other files count. `--fresh` repeats all. Writes `test-results/long.md` after each step, and exits
 * with 1 if one failed. Run it before a release, and parts of it whenever their subject changed.
 */
import { execFileSync, spawn } from "node:child_process"
import { createHash, randomInt } from "node:crypto"
import { createWriteStream, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    jobs: { type: "string", default: "2" },
    fresh: { type: "boolean", default: false }
  }
})

interface Step {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  /** Whether it runs a file of tests; usual is none. */
  readonly runs?: (file: string) => boolean
  /** Whether it runs alone: it uses all cores, or measures times. */
  readonly isAlone?: boolean
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
const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { encoding: "utf8" }).trim()
const commit = git("rev-parse", "--short=12", "HEAD")
const tree = git("ls-tree", "-r", "HEAD").split("\n")

/** A digest of the files that a step may depend on: all but the files of tests that it does not run. */
const subjectOf = ({ runs }: Step): string => {
  const files = tree.filter((line) => !line.endsWith(".test.ts") || runs?.(line.split("\t")[1]!))
  return createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 16)
}

interface Result {
  readonly subject: string
  readonly commit: string
  readonly outcome: "passed" | "FAILED" | "unable"
  readonly seconds: number
  readonly note: string
}

/** The folder of the servers that files copy (test/support/Servers.ts). An interrupted run keeps it for the next. */
const servers = resolve(folder, "servers")
const removeServers = (): void => rmSync(servers, { recursive: true, force: true })
process.once("exit", removeServers)

/** The files that measure how long others wait, or how long a page takes. */
const measures = /^test\/(?:hostile|template\/AttackTimes|console\/(?:ApiPage|DeliveryParts))/

const isOfFirstTiers = (file: string): boolean => !file.includes(".long.")

/** Seeds of each fault run. */
const seeds = 20

const steps: ReadonlyArray<Step> = [
  ...globSync("test/**/*.long.*test.ts").map((file) => ({
    name: file,
    command: vitest("--project", "long", file),
    runs: (each: string) => each === file,
    isAlone: measures.test(file),
    environment: { RACKWIRE_TEST_SERVERS: join(servers, "copied") }
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
  {
    name: "coverage of the first two tiers",
    command: ["npm", "run", "-s", "test:coverage"],
    runs: isOfFirstTiers,
    isAlone: true
  },
  {
    name: `the first two tiers with three times the effort, on ${olderPostgres ?? "the usual Postgres"}`,
    command: vitest("--project", "test", "--project", "gate"),
    runs: isOfFirstTiers,
    isAlone: true,
    environment: { RACKWIRE_EFFORT: "3", ...(olderPostgres !== undefined && { POSTGRES_BIN: olderPostgres }) }
  },
  {
    name: "the image",
    command: ["npm", "run", "-s", "test:image"],
    isAlone: true,
    unable: without(isRoot && has("debootstrap"), "root and debootstrap")
  },
  {
    name: "the acceptance journey against one process for each role, on Valkey",
    command: ["node", "test/journey/run.ts", journey],
    isAlone: true,
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

/** `RACKWIRE_SEED` repeats the data of another run. */
interface State {
  readonly seed: string
  readonly results: Readonly<Record<string, Result>>
}

const stateFile = join(folder, "long.json")
const earlier: State | undefined =
  existsSync(stateFile) && !values.fresh ? (JSON.parse(readFileSync(stateFile, "utf8")) as State) : undefined
/** The results that count still, by the names of steps. */
const results = new Map(
  steps.flatMap((step) => {
    const result = earlier?.results[step.name]
    return result?.subject === subjectOf(step) ? [[step.name, result] as const] : []
  })
)
const continues = results.size > 0
const seed = (continues ? earlier?.seed : process.env["RACKWIRE_SEED"]) ?? `${randomInt(1, 2 ** 31)}`
if (!continues) removeServers()

const report = (): void => {
  writeFileSync(stateFile, JSON.stringify({ seed, results: Object.fromEntries(results) } satisfies State, undefined, 2))
  const rows = steps.flatMap(({ name }) => {
    const result = results.get(name)
    if (result === undefined) return []
    return [`| ${name} | ${result.outcome} | ${result.seconds} | ${result.commit} | ${result.note} |`]
  })
  const head = `# The long tests on ${commit}, RACKWIRE_SEED=${seed}\n\n| step | outcome | seconds | commit | |\n| --- | --- | --- | --- | --- |\n`
  writeFileSync(join(folder, "long.md"), `${head}${rows.join("\n")}\n`)
}

const take = async (at: number): Promise<void> => {
  const step = steps[at]!
  const { name, unable } = step
  const logFile = join(folder, `long-${at}.log`)
  const began = performance.now()
  const ended = unable === undefined ? await run(step, logFile) : undefined
  const outcome = ended === undefined ? "unable" : ended.code === 0 ? "passed" : "FAILED"
  const seconds = Math.round((performance.now() - began) / 1000)
  const note = ended === undefined ? unable! : `${ended.last} (${logFile})`
  results.set(name, { subject: subjectOf(step), commit, outcome, seconds, note })
  console.log(`${outcome} ${name} (${seconds} s): ${note}`)
  report()
}

const open = [...steps.keys()].filter((at) => {
  const { name } = steps[at]!
  return results.get(name)?.outcome !== "passed" && (values.only === undefined || name.includes(values.only))
})
const alone = open.filter((at) => steps[at]!.isAlone)
const others = open.filter((at) => !steps[at]!.isAlone).values()
const jobs = Array.from({ length: Number(values.jobs) }, async () => {
  for (const at of others) await take(at)
})
await Promise.all(jobs)
for (const at of alone) await take(at)
process.exit([...results.values()].some(({ outcome }) => outcome === "FAILED") ? 1 : 0)

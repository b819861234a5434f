/**
 * The report of a run: a line for each file; in the end the slowest files, the number of service starts, the skipped
 * tests with their reasons, and for each failure its error, the seed, the service's log and the screenshot. Failures take
 * 100 lines at most.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node"
import { ledgerFile, missingPrefix, startIn } from "./Ledger.ts"

declare module "vitest" {
  interface TaskMeta {
    /** The last lines of the services that ran when the test failed. */
    log?: string
    /** File with a picture of the page on which the test failed. */
    screenshot?: string
  }
}

const slowestCount = 20
const failureLinesMax = 100

/** Longest line of a failure, characters: a comparison of values has them in one line. */
const lineCharsMax = 1000

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export default class Report implements Reporter {
  private began = performance.now()

  onTestRunStart(): void {
    this.began = performance.now()
    mkdirSync(dirname(ledgerFile), { recursive: true })
    rmSync(ledgerFile, { force: true })
  }

  onTestModuleEnd(module: TestModule): void {
    const { passed, failed, skipped } = countsOf([module])
    const marks = [`${passed} passed`, failed > 0 && `${failed} FAILED`, skipped > 0 && `${skipped} skipped`]
    console.log(`${nameOf(module)}: ${marks.filter(Boolean).join(", ")} (${seconds(durationOf(module))})`)
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const counts = countsOf(modules)
    const found = failuresOf(modules, errors)
    const failed = counts.failed + errors.length
    console.log(["", ...slowest(modules), ...starts(), ...skips(modules)].join("\n"))
    if (failed > 0) console.log(["", ...failures(found)].join("\n"))
    const took = seconds(performance.now() - this.began)
    console.log(`\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped in ${took}`)
    const file = process.env["RACKWIRE_TEST_COUNTS"]
    if (file === undefined) return
    const lines = [`${counts.passed} ${failed} ${counts.skipped}`, ...found.map(({ name }) => name)]
    writeFileSync(file, `${lines.join("\n")}\n`)
  }
}

const nameOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId)

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

/** Imports and hooks included. */
const durationOf = (module: TestModule): number => {
  const { duration, collectDuration, setupDuration } = module.diagnostic()
  return duration + collectDuration + setupDuration
}

/** A module that cannot be loaded, or whose hooks fail, counts as one failure. */
const countsOf = (modules: ReadonlyArray<TestModule>): Counts => {
  const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
  const count = (state: string) => states.filter((each) => each === state).length
  const broken = modules.filter((module) => errorsOf(module).length > 0).length
  return { passed: count("passed"), failed: count("failed") + broken, skipped: count("skipped") + count("pending") }
}

/** The errors of a module and its suites: of imports and hooks. */
const errorsOf = (module: TestModule): ReadonlyArray<SerializedError> => [
  ...module.errors(),
  ...[...module.children.allSuites()].flatMap((suite) => suite.errors())
]

const slowest = (modules: ReadonlyArray<TestModule>): ReadonlyArray<string> => {
  const sorted = modules.toSorted((a, b) => durationOf(b) - durationOf(a)).slice(0, slowestCount)
  return ["The slowest files:", ...sorted.map((module) => `  ${seconds(durationOf(module))} ${nameOf(module)}`)]
}

const noted = (): ReadonlyArray<string> =>
  existsSync(ledgerFile) ? readFileSync(ledgerFile, "utf8").trim().split("\n") : []

const starts = (): ReadonlyArray<string> => {
  const count = (note: string) => noted().filter((line) => line === note).length
  return [`Service starts: ${count(startIn("worker"))} in a worker, ${count(startIn("process"))} as a process.`]
}

/** Files with skipped tests, and the programs that this machine lacks for them. */
const skips = (modules: ReadonlyArray<TestModule>): ReadonlyArray<string> => {
  const skipped = modules.flatMap((module) => {
    const { length } = [...module.children.allTests()].filter((test) => test.result().state === "skipped")
    return length === 0 ? [] : [`  ${nameOf(module)}: ${length}`]
  })
  if (skipped.length === 0) return []
  const missing = new Set(noted().filter((line) => line.startsWith(missingPrefix)))
  return ["Skipped tests:", ...skipped, ...Array.from(missing, (line) => `  ${line}`)]
}

interface Failure {
  readonly name: string
  readonly lines: ReadonlyArray<string>
}

const failuresOf = (
  modules: ReadonlyArray<TestModule>,
  errors: ReadonlyArray<SerializedError>
): ReadonlyArray<Failure> => [
  ...modules.flatMap((module) => [
    ...errorsOf(module).map((error) => ({ name: nameOf(module), lines: linesOf(error) })),
    ...[...module.children.allTests()].filter((test) => test.result().state === "failed").map(failureOf)
  ]),
  ...errors.map((error) => ({ name: "outside of a test", lines: linesOf(error) }))
]

/** The failures in 100 lines at most, each of a limited length. */
const failures = (found: ReadonlyArray<Failure>): ReadonlyArray<string> => {
  const each = Math.max(4, Math.floor(failureLinesMax / found.length) - 1)
  const lines = found.flatMap(({ name, lines }) => [
    `FAILED ${name}`,
    ...shortened(lines, each).map((line) =>
      line.length > lineCharsMax ? `  ${line.slice(0, lineCharsMax)}…` : `  ${line}`
    )
  ])
  return [`Seed of this run: RACKWIRE_SEED=${process.env["RACKWIRE_SEED"] ?? ""}`, ...lines.slice(0, failureLinesMax)]
}

const failureOf = (test: TestCase): Failure => {
  const { log, screenshot } = test.meta()
  return {
    name: `${nameOf(test.module)} > ${test.fullName}`,
    lines: [
      ...(test.result().errors ?? []).flatMap(linesOf),
      ...(screenshot === undefined ? [] : [`screenshot: ${screenshot}`]),
      ...(log === undefined ? [] : ["the log of the service:", ...log.split("\n")])
    ]
  }
}

/** The message, what differs, and the place in a test. */
const linesOf = ({ message, diff, stack }: SerializedError & { readonly diff?: string }): ReadonlyArray<string> => [
  ...message.split("\n"),
  ...(diff === undefined ? [] : diff.split("\n")),
  ...(stack
    ?.split("\n")
    .filter((line) => /\/(test|src)\//.test(line))
    .slice(0, 4) ?? [])
]

/** The first and the last lines: an error begins with its message, and a log ends with its cause. */
const shortened = (lines: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  if (lines.length <= most) return lines
  const first = Math.ceil(most / 2)
  return [...lines.slice(0, first), `(${lines.length - most} lines)`, ...lines.slice(lines.length - (most - first - 1))]
}

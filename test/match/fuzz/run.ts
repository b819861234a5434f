/**
 * Decides random conditions on random events with a Python transcription of NetBox's rules and with ours.
 *
 *   npm run fuzz:conditions -- --seed 1 --count 10000
 *
 * Fails at any difference: in the answer, in whether a document is refused, and in the reason where NetBox has one.
 */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { ConditionError, parse } from "../../../src/match/Condition.ts"
import { compile } from "../../../src/match/Decision.ts"
import { Random } from "../../template/fuzz/Random.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    count: { type: "string", default: "10000" }
  }
})

const random = new Random(Number(values.seed))

const keys = ["a", "b", "c", "status", "tags"]
const scalars: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  1,
  2,
  1.5,
  -1,
  1e20,
  "",
  "a",
  "b",
  "ab",
  "abc\n",
  "1",
  "é😀",
  "é b-1\n",
  "٣ü_"
]
const patterns = [
  "",
  "a",
  "^a",
  "b$",
  "ab?c$",
  "[a-z]+",
  "(a|b)*$",
  "x|a",
  ".",
  "..$",
  "[^b]",
  "\\n",
  "(?i)A",
  "\\w+$",
  "\\W*\\b\\w",
  "\\bé\\b",
  "(?:.\\B.|.\\b.)+\\Z",
  "(?s).*\\b\\Z",
  "[^\\W\\d_]+$",
  "[\\D\\s]*$",
  "\\d",
  "\\u00e9.*\\S$",
  "(?a)[\\w\\s]+",
  "(?x) a  b ?",
  "(?i:É)[^a]\\b",
  "a{,2}$",
  "[",
  "a{2"
]
const names = ["eq", "gt", "gte", "lt", "lte", "in", "contains", "regex", "changed", "unchanged"]

const json = (depth: number): unknown => {
  const kind = random.below(depth === 0 ? 6 : 10)
  if (kind < 6) return random.pick(scalars)
  if (kind < 8) return random.many(0, 3, () => json(depth - 1))
  return record(depth - 1)
}

const record = (depth: number): unknown =>
  Object.fromEntries(keys.filter(() => random.chance(0.9)).map((key) => [key, json(depth)]))

const path = (): string => random.many(1, random.chance(0.2) ? 3 : 1, () => random.pick(keys)).join(".")

const attr = (): string =>
  random.chance(0.7)
    ? path()
    : random.pick([
        `snapshots.prechange.${path()}`,
        `snapshots.postchange.${path()}`,
        "snapshots.prechange",
        "snapshots"
      ])

const valueFor = (op: string): unknown => {
  if (op === "in") return random.many(0, 3, () => json(1))
  if (op === "regex") return random.pick(patterns)
  return ["gt", "gte", "lt", "lte"].includes(op) ? random.pick([0, 1, 1.5, -1]) : json(1)
}

const clause = (): Record<string, unknown> => {
  const op = random.pick(names)
  const isChange = op === "changed" || op === "unchanged"
  return {
    attr: isChange ? path() : attr(),
    ...(isChange ? {} : { value: valueFor(op) }),
    ...(op === "eq" && random.chance(0.5) ? {} : { op }),
    ...(random.chance(0.3) ? { negate: random.chance(0.5) } : {})
  }
}

/** A document with something wrong in it, most of the time. */
const broken = (): unknown => {
  const whole = clause()
  const kind = random.below(6)
  if (kind === 0) return { ...whole, [random.pick(["attr", "value", "op", "negate", "more"])]: json(1) }
  if (kind === 1) return Object.fromEntries(Object.entries(whole).filter(() => random.chance(0.7)))
  if (kind === 2) return { [random.pick(["AND", "and", "or", "foo"])]: json(2) }
  if (kind === 3) return { and: [], or: [] }
  return kind === 4 ? json(2) : { ...whole, op: random.pick(names) }
}

const item = (depth: number): unknown => {
  if (random.chance(0.06)) return broken()
  if (depth === 0 || random.chance(0.5)) return clause()
  return { [random.pick(["and", "or"])]: random.many(0, 3, () => item(depth - 1)) }
}

interface Case {
  readonly document: unknown
  readonly data: unknown
  readonly snapshots: { readonly prechange: unknown; readonly postchange: unknown } | null
}

const side = () => (random.chance(0.25) ? null : record(2))

const cases = Array.from({ length: Number(values.count) }, (): Case => ({
  document: item(3),
  data: record(3),
  snapshots: random.chance(0.15) ? null : { prechange: side(), postchange: side() }
}))

interface Answer {
  readonly answer?: boolean | null
  readonly refused?: string
}

const ours = ({ document, data, snapshots }: Case): Answer => {
  try {
    return { answer: compile(parse(document))({ data, snapshots: snapshots ?? undefined }) ?? null }
  } catch (error) {
    if (error instanceof ConditionError) return { refused: error.message }
    throw error
  }
}

const agree = (theirs: Answer, own: Answer): boolean =>
  theirs.refused === undefined || own.refused === undefined
    ? theirs.answer === own.answer && theirs.refused === own.refused
    : theirs.refused === "" || own.refused.endsWith(theirs.refused)

// The type of a JSON number in Python depends on its form: 1.0 is a float there, and JavaScript writes 1.
const input = cases.map((each) => JSON.stringify(each)).join("\n")
const output = execFileSync("/usr/bin/python3", [fileURLToPath(new URL("evaluator.py", import.meta.url))], {
  input,
  encoding: "utf8",
  maxBuffer: 1 << 28
})

const answers = output
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Answer)
const counts = new Map<string, number>()
let different = 0
for (const [at, each] of cases.entries()) {
  const theirs = answers[at]!
  const own = ours(each)
  const name = theirs.refused === undefined ? String(theirs.answer) : "refused"
  counts.set(name, (counts.get(name) ?? 0) + 1)
  if (agree(theirs, own)) continue
  different++
  if (different <= 20) console.log(JSON.stringify({ ...each, theirs, ours: own }))
}
console.log(`seed ${values.seed}: ${cases.length} conditions, ${different} differences`)
for (const [name, times] of counts) console.log(`  ${String(times).padStart(6)} ${name}`)
if (different > 0) process.exitCode = 1

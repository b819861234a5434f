/**
 * Regular expressions of templates, `r/…/gim`, matched in linear time.
 *
 * They are RE2's: JavaScript's syntax without look-around and back references. Compiled at their first use, because a
 * template is checked where nothing may take long.
 */
import { RE2JS } from "re2js"
import { Fault } from "../../jinja/runtime/Fault.ts"
import { programEffort } from "../../pattern/Effort.ts"
import { effortMax } from "../../pattern/Pattern.ts"
import { type List, Opaque, type Run } from "../value/Values.ts"

/** Longest pattern, characters. */
const patternChars = 1000

/** Price of compiling an instruction. */
const stepsPerInstruction = 16

export class Pattern extends Opaque {
  private readonly body: string
  private readonly flags: string
  private compiled: RE2JS | undefined

  constructor({ source, flags }: RegExp) {
    super()
    this.body = source
    this.flags = flags
  }

  override get text(): string {
    return `/${this.body}/${this.flags}`
  }

  matches(run: Run, input: string): boolean {
    return this.search(run, input) >= 0
  }

  /** Where the first match begins, or -1. */
  search(run: Run, input: string): number {
    for (const { start } of this.found(run, input)) return start
    return -1
  }

  /** As `input.match(this)`: all matches with the flag g, else the first with its groups. */
  match(run: Run, input: string): List | null {
    const all: List = []
    for (const { groups } of this.found(run, input)) {
      if (!this.flags.includes("g")) return [...groups]
      all.push(groups[0])
    }
    return all.length === 0 ? null : all
  }

  split(run: Run, input: string): List {
    const parts: List = []
    let from = 0
    for (const { start, end, groups } of this.found(run, input)) {
      if (end === start && (start === from || start === input.length)) continue
      parts.push(input.slice(from, start), ...groups.slice(1))
      from = end
    }
    return [...parts, input.slice(from)]
  }

  /** Replaces the first match, or each with the flag g; `$1`, `$&` and `$<name>` in the replacement insert groups. */
  replaced(run: Run, input: string, by: string): string {
    let all = ""
    let from = 0
    for (const found of this.found(run, input)) {
      const piece = input.slice(from, found.start) + expanded(by, found)
      run.alloc(piece.length)
      all += piece
      from = found.end
      if (!this.flags.includes("g")) break
    }
    run.alloc(input.length - from)
    return all + input.slice(from)
  }

  private *found(run: Run, input: string): Generator<Found> {
    const program = this.program(run)
    const matcher = program.matcher(input)
    // The automaton may be in all of its states at each character.
    run.tick(1 + Math.ceil((input.length * program.programSize()) / 64))
    for (let from = 0; ; from = matcher.end()) {
      run.tick(1 + ((input.length - from) >> 9))
      if (!matcher.find()) return
      const [start, end] = [matcher.start(), matcher.end()]
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, at) => matcher.group(at) ?? undefined)
      run.alloc(end - start + 16)
      yield { start, end, groups, names: matcher.getNamedGroups() }
    }
  }

  private program(run: Run): RE2JS {
    if (this.compiled !== undefined) return this.compiled
    const effort = programEffort(this.flags.includes("i") ? `(?i)${this.body}` : this.body)
    if (this.body.length > patternChars || effort > effortMax) {
      throw new Fault("Value", "the regular expression is too large")
    }
    run.tick(effort * stepsPerInstruction)
    run.lookAtClock()
    const flags =
      (this.flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0) | (this.flags.includes("m") ? RE2JS.MULTILINE : 0)
    try {
      // RE2 knows no escaped slash.
      return (this.compiled = RE2JS.compile(this.body.replaceAll("\\/", "/"), flags))
    } catch (error) {
      throw new Fault("Value", `the regular expression is refused: ${(error as Error).message}`)
    }
  }
}

interface Found {
  readonly start: number
  readonly end: number
  /** The whole match first. */
  readonly groups: ReadonlyArray<string | undefined>
  readonly names: Readonly<Record<string, string | null>>
}

const expanded = (by: string, { groups, names }: Found): string =>
  by.replace(
    /\$(?:(\$)|(&)|(\d\d?)|<([^>]*)>)/g,
    (whole, dollar?: string, all?: string, at?: string, name?: string) => {
      if (dollar !== undefined) return "$"
      if (all !== undefined) return groups[0] ?? ""
      if (name !== undefined) return Object.hasOwn(names, name) ? (names[name] ?? "") : whole
      return Number(at) > 0 && Number(at) < groups.length ? (groups[Number(at)] ?? "") : whole
    }
  )

/** The budgets of templates, and the meter that charges a run. */
import { limitFault } from "./Fault.ts"

export const limits = {
  /** Source of a template, UTF-16 units. */
  sourceChars: 65_536,
  /** Nodes of the syntax tree. */
  nodes: 20_000,
  /** Nesting depth of expressions and statements. */
  nesting: 100,
  /** Operators, filters or attributes in one chain: `a + b + c`, `a.b.c`, `a|b|c`. */
  chain: 200,
  /** Steps of one run: a loop turn or a call costs 2, a lookup or an output 1, a pass over text 1 per 64 units. */
  steps: 200_000,
  /** Total allocation of one run, freed or not: UTF-16 units, 8 for an element of a list, 16 for one of a dict. */
  memoryChars: 2 << 20,
  /** Result of one run, UTF-16 units. */
  outputChars: 1 << 20,
  /** Nesting depth of calls of macros, blocks and recursive loops. */
  depth: 64,
  /** Nesting depth of lists and dicts that are printed, compared or passed to a plugin. */
  valueDepth: 100,
  /** Size of an integer. */
  integerBits: 4096,
  /**
   * CPU time of one run. Steps should run out first, since equal runs take equal steps; the time bounds underrated work.
   * Elapsed time would make a run fail because its machine is busy.
   */
  cpuMillis: 250
} as const

export type Limits = { readonly [K in keyof typeof limits]: number }

/** Steps between two reads of the clock. */
const clockSteps = 512

/** CPU time that this thread has used, microseconds. */
const cpuMicros = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** The meter of one run. Work is charged before it is done. */
export class Budget {
  readonly limits: Limits
  private stepsLeft: number
  private memoryLeft: number
  private outputLeft: number
  private depth = 0
  private sinceClock = 0
  /** CPU time of the thread before the run, microseconds. */
  private readonly begun = cpuMicros()
  /** Before this time, on the clock of `performance.now()`, the run cannot have used up its CPU time. */
  private deadline: number

  constructor(sizes: Limits) {
    this.limits = sizes
    this.stepsLeft = sizes.steps
    this.memoryLeft = sizes.memoryChars
    this.outputLeft = sizes.outputChars
    this.deadline = performance.now() + sizes.cpuMillis
  }

  get stepsUsed(): number {
    return this.limits.steps - this.stepsLeft
  }

  /** Charges for work. */
  tick(steps: number): void {
    if ((this.stepsLeft -= steps) < 0) throw limitFault("steps")
    if ((this.sinceClock += steps) >= clockSteps) this.lookAtClock()
  }

  lookAtClock(): void {
    this.sinceClock = 0
    const now = performance.now()
    if (now < this.deadline) return
    const left = this.limits.cpuMillis - (cpuMicros() - this.begun) / 1000
    if (left <= 0) throw limitFault("time")
    this.deadline = now + left
  }

  /** Charges for memory and for the work of filling it. */
  alloc(chars: number): void {
    if (chars <= 0) return
    // The condition is written so that NaN exceeds the limit as well.
    if (!((this.memoryLeft -= chars) >= 0)) throw limitFault("memory")
    if (chars > 63) this.tick(chars >> 6)
  }

  /** Charges for output. */
  emit(chars: number): void {
    if ((this.outputLeft -= chars) < 0) throw limitFault("output")
  }

  enter(): void {
    if (++this.depth > this.limits.depth) throw limitFault("depth")
  }

  leave(): void {
    this.depth--
  }
}

/** The output of one run, its budget, and its random numbers. */
import { valueFault } from "./Fault.ts"
import { Budget, type Limits } from "./Limits.ts"

/** Seed of random choices; a function is called only if the template makes one. */
export type Seed = number | (() => number)

export class Output extends Budget {
  /** The output so far; a captured body, as of a macro, replaces it for a while. */
  out = ""
  /** Position of the run: the offset in the source of the node that is evaluated. */
  at = 0
  /** Nesting depth of captures. */
  private captures = 0
  /** Whether the output is header lines. */
  private readonly headers: boolean
  /** State of the random generator. */
  private seed: Seed

  constructor(sizes: Limits, headers: boolean, seed: Seed) {
    super(sizes)
    this.headers = headers
    this.seed = seed
  }

  /** Writes a computed value. In header lines only the template's own text may contain line breaks. */
  print(piece: string): void {
    if (this.headers && /[\r\n]/.test(piece)) throw valueFault("a header cannot hold a line break")
    this.write(piece)
  }

  /** Writes text unchanged. Captured text is charged as memory, other text as output. */
  write(piece: string): void {
    if (this.captures === 0) this.emit(piece.length)
    else this.alloc(piece.length)
    this.out += piece
  }

  /** Returns the text that the body writes. A fault ends the run, so the state need not be restored after one. */
  capture(body: () => void): string {
    const outer = this.out
    this.out = ""
    this.captures++
    body()
    this.captures--
    const captured = this.out
    this.out = outer
    return captured
  }

  /** A random number in [0, 1). The same seed gives the same sequence (mulberry32). */
  random(): number {
    const before = typeof this.seed === "number" ? this.seed : this.seed()
    const state = (before + 0x6d2b79f5) | 0
    this.seed = state
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

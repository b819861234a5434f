/** Work that a process repeats, and for how long it has not succeeded. */
import { Effect } from "effect"
import { inWords } from "../telemetry/Telemetry.ts"

export class Stall {
  private since: number | undefined
  private why = ""
  private readonly what: string
  private readonly millis: number

  /** `what` cannot be done: a sentence about the work. It is a problem after so many milliseconds. */
  constructor(what: string, millis: number) {
    this.what = what
    this.millis = millis
  }

  /** The work begins, or continues. */
  begin(): void {
    this.since ??= performance.now()
  }

  failed(error: unknown): void {
    this.begin()
    this.why = `: ${inWords(error)}`
  }

  succeeded(): void {
    this.since = undefined
    this.why = ""
  }

  /** Runs the work; it counts as stalled from its first begin or failure until it succeeds. */
  watch<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.sync(() => this.begin()).pipe(
      Effect.andThen(work),
      Effect.tapError((error) => Effect.sync(() => this.failed(error))),
      Effect.tap(() => Effect.sync(() => this.succeeded()))
    )
  }

  /** A sentence if the work is stalled. */
  problems(): ReadonlyArray<string> {
    const millis = this.since === undefined ? 0 : performance.now() - this.since
    return millis < this.millis ? [] : [`${this.what} for ${Math.round(millis / 1000)} s${this.why}`]
  }
}

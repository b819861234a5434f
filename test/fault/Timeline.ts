/** Events of a run with their times, for people who have to understand a failure. */

/** Milliseconds. */
export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

export class Timeline {
  private readonly began = performance.now()
  private readonly lines: Array<string> = []

  get millis(): number {
    return Math.round(performance.now() - this.began)
  }

  note(what: string): void {
    this.lines.push(`${`${this.millis}`.padStart(7)} ms  ${what}`)
  }

  /** The time of day at the start, for comparison with logs, and a line per thing. */
  text(): string {
    return [`began at ${new Date(performance.timeOrigin + this.began).toISOString()}`, ...this.lines].join("\n")
  }
}

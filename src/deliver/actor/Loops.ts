/** The webhooks of a process that were found in a loop lately (Chain.ts): an alarm for operators. */

/** How long a loop is reported after its last delivery, milliseconds: longer than the rounds of what collects problems. */
const toldMillis = 10 * 60_000

/** Most webhooks that a sentence names. */
const namedMax = 5

export class Loops {
  private readonly now: () => number
  /** When a delivery of each webhook was stopped last. */
  private readonly stopped = new Map<number, number>()

  /** `now` gives milliseconds. */
  constructor(now: () => number) {
    this.now = now
  }

  /** Notes that a delivery of the webhook was stopped; returns whether the alarm is new for this webhook. */
  stop(webhook: number): boolean {
    this.forget()
    const isNew = !this.stopped.has(webhook)
    this.stopped.set(webhook, this.now())
    return isNew
  }

  /** A sentence if there was a loop lately. */
  warnings(): ReadonlyArray<string> {
    this.forget()
    const webhooks = [...this.stopped.keys()].toSorted((a, b) => a - b)
    if (webhooks.length === 0) return []
    const more = webhooks.length > namedMax ? ` and ${webhooks.length - namedMax} more` : ""
    return [`a loop of deliveries was stopped: webhook ${webhooks.slice(0, namedMax).join(", ")}${more}`]
  }

  private forget(): void {
    const until = this.now() - toldMillis
    for (const [webhook, at] of this.stopped) if (at <= until) this.stopped.delete(webhook)
  }
}

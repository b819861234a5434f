/** The webhooks of a process that cannot be used, because of a secret or a value in their rows: their deliveries wait. */
import { Effect } from "effect"
import type { UnusableWebhook } from "../../webhook/Definition.ts"

/** Most webhooks that a sentence names. */
const namedMax = 5

export class Unusable {
  private readonly reasons = new Map<number, string>()

  /** Notes and logs why the webhook cannot be used. */
  readonly note = ({ webhook, message }: UnusableWebhook) =>
    Effect.suspend(() => {
      this.reasons.set(webhook, message)
      return Effect.logError(`deliver: webhook ${webhook} cannot be used, its deliveries wait: ${message}`)
    })

  forget(webhook: number): void {
    this.reasons.delete(webhook)
  }

  /** A sentence if webhooks cannot be used. */
  warnings(): ReadonlyArray<string> {
    const [first] = this.reasons.values()
    if (first === undefined) return []
    const named = [...this.reasons.keys()].slice(0, namedMax).join(", ")
    const more = this.reasons.size > namedMax ? ` and ${this.reasons.size - namedMax} more` : ""
    return [`webhook ${named}${more} cannot be used, deliveries wait: ${first}`]
  }
}

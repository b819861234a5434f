/**
 * Webhooks that were changed a moment ago. A process that delivers learns of a change by a notification of its own, which
 * may come after the change's first deliveries: their entries have it too.
 */
import { type WebhookRow, changedMillis } from "../match/WebhookIndex.ts"

/** How long a change counts as recent, milliseconds: a notification is not as late as this. */
const recentMillis = 60_000

type WebhookId = Pick<WebhookRow, "id">

export class RecentChanges {
  /** When each was changed and when that was learned, milliseconds since 1970; the one learned last is last. */
  private readonly changes = new Map<number, { readonly changed: number; readonly learned: number }>()

  learn(webhook: number, row: WebhookId | undefined, nowMillis: number): void {
    this.changes.delete(webhook)
    for (const [old, { learned }] of this.changes) {
      if (nowMillis - learned < recentMillis) break
      this.changes.delete(old)
    }
    const changed = row === undefined ? 0 : changedMillis(row)
    if (nowMillis - changed < recentMillis) this.changes.set(webhook, { changed, learned: nowMillis })
  }

  reset(webhooks: ReadonlyArray<WebhookId>, nowMillis: number): void {
    this.changes.clear()
    for (const row of webhooks) this.learn(row.id, row, nowMillis)
  }

  /** When the webhook was changed, milliseconds since 1970; undefined if that was long before. */
  of(webhook: number, nowMillis: number): number | undefined {
    const change = this.changes.get(webhook)
    return change !== undefined && nowMillis - change.learned < recentMillis ? change.changed : undefined
  }
}

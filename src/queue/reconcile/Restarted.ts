/**
 * Restarts and failovers of Redis. Afterwards Redis may lack the last writes, which the streams show, or be as it was long
 * before: then finished deliveries are back, and deliveries that wait are missing. So all webhooks are reconciled, some at
 * a time, while the stages continue. Until then each reader of entries compares them with the delivery log
 * (ReconciledRedis.ts).
 */
import { Effect } from "effect"
import { CaptureError } from "../../capture/CaptureError.ts"
import { incarnationOf } from "../../redis/Incarnation.ts"
import { Redis } from "../../redis/Redis.ts"
import { allWebhooks } from "./Deleted.ts"
import { reconcileWhole } from "./Reconcile.ts"
import { noteReconciled, reconciledIncarnation } from "./ReconciledRedis.ts"

/** Webhooks reconciled in one check. */
const reconciledAtOnce = 20

export class Restarted {
  private incarnation = ""
  private isReconciled = false
  private left: Array<number> = []

  /** Notes which Redis there is, before its streams are checked. */
  readonly begin = Effect.gen({ self: this }, function* (this: Restarted) {
    this.incarnation = yield* incarnationOf((yield* Redis).client)
    this.isReconciled = this.incarnation === (yield* reconciledIncarnation)
    this.left = this.isReconciled ? [] : [...(yield* allWebhooks)]
  })

  /** Fails if Redis is another one since the beginning. Reconciles some webhooks; returns whether others are left. */
  readonly check = Effect.gen({ self: this }, function* (this: Restarted) {
    if ((yield* incarnationOf((yield* Redis).client)) !== this.incarnation) {
      const message = "Redis was restarted, or another server has taken its place"
      return yield* new CaptureError({ reason: "Transport", message })
    }
    if (this.isReconciled) return false
    for (const webhook of this.left.slice(0, reconciledAtOnce)) {
      yield* reconcileWhole(webhook)
      this.left.shift()
    }
    if (this.left.length > 0) return true
    yield* noteReconciled(this.incarnation)
    this.isReconciled = true
    return false
  })
}

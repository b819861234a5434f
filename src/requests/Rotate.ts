/** A new secret for a webhook, while receivers may still check by the old one. */
import { randomBytes } from "node:crypto"
import { Clock, Effect } from "effect"
import { Vault } from "../inventory/Vault.ts"
import { objectType } from "../inventory/Registry.ts"
import type Webhook from "../inventory/types/extras/Webhook.ts"
import { byIds } from "../inventory/read/Read.ts"
import type { Author } from "../inventory/write/Transaction.ts"
import { update } from "../inventory/write/Write.ts"

const webhookType = objectType<typeof Webhook>("extras.webhook")

/** Longest time that the old secret may stay valid, hours. */
export const overlapHoursMax = 24 * 30

/** Bytes of a generated secret; as many as the digests of Standard Webhooks have. */
const secretBytes = 32

interface Rotation {
  readonly webhook: number
  /** Absent for a generated one. */
  readonly secret?: string | undefined
  /** How long requests are signed with the old secret as well. */
  readonly overlapHours: number
  readonly author: Author
}

/**
 * Returns the new secret, or undefined if there is no such webhook that the user may change. A generated one is written
 * as Standard Webhooks writes it, and NetBox' signature takes the same text as its key.
 */
export const rotateSecret = Effect.fnUntraced(function* ({ webhook, secret, overlapHours, author }: Rotation) {
  const vault = yield* Vault
  const [row] = yield* byIds(webhookType, [webhook], "change")
  if (row === undefined) return undefined
  const made = secret ?? `whsec_${randomBytes(secretBytes).toString("base64")}`
  const expires = new Date((yield* Clock.currentTimeMillis) + overlapHours * 3_600_000).toISOString()
  const old = row.secret === "" || overlapHours === 0 ? "" : (vault.open(row.secret) ?? "")
  const body = { secret: made, previous_secret: old, previous_secret_expires: old === "" ? null : expires }
  const [changed] = yield* update(webhookType, [{ id: webhook, body }], false, author)
  return changed === undefined ? undefined : made
})

/**
 * Challenges of passkeys. A challenge is in a sealed ticket that its page sends back: making one stores nothing, and
 * every process can check it. It counts for five minutes, for one use and user, in the browser that it was made for, and
 * once: a row notes that it was used.
 */
import { Clock, Effect } from "effect"
import { Vault, digest } from "../../../inventory/Vault.ts"
import { type TicketPurpose, openTicket, sealTicket } from "../../SealedTicket.ts"
import { claimOnce } from "../../UsedOnce.ts"
import type { PasskeyAnswer } from "./Ceremony.ts"

/** Time for which a challenge counts, seconds. */
const challengeSeconds = 300

interface NewChallenge {
  readonly challenge: string
  /** The user that the challenge is for; undefined for a login without a password. */
  readonly user: number | undefined
  /** A cookie of the browser that the challenge is for. */
  readonly cookie: string
}

interface ChallengeTicket {
  readonly challenge: string
  readonly user: number | null
  readonly browser: string
}

/** Returns the ticket of a challenge. */
export const sealChallenge = Effect.fnUntraced(function* (
  purpose: TicketPurpose,
  { challenge, user = undefined, cookie }: NewChallenge
) {
  const expires = (yield* Clock.currentTimeMillis) + challengeSeconds * 1000
  const content: ChallengeTicket = { challenge, user: user ?? null, browser: digest(cookie) }
  return sealTicket(yield* Vault, purpose, content, expires)
})

/** Returns the challenge of a ticket; undefined if the ticket does not count for this use, user and browser. */
export const openChallenge = Effect.fnUntraced(function* (
  purpose: TicketPurpose,
  { ticket, cookie }: PasskeyAnswer,
  user: number | undefined
) {
  const content = openTicket<ChallengeTicket>(yield* Vault, purpose, ticket, yield* Clock.currentTimeMillis)
  const isRight = content?.user === (user ?? null) && content.browser === digest(cookie)
  return isRight ? content.challenge : undefined
})

/** Notes that the challenge is used. Returns false if it was before. */
export const claimChallenge = (challenge: string) => claimOnce(challenge, challengeSeconds)

/**
 * A sign-in under way, between the browser's way to a provider and back.
 *
 * It is sealed into a cookie, so that beginning one stores nothing, and every process of the service can finish it. The
 * cookie binds it to the browser that began it. A row notes that it was finished: it is used once.
 */
import { randomBytes } from "node:crypto"
import type { Vault } from "../../inventory/Vault.ts"
import { openTicket, pathInCookie, sealTicket } from "../SealedTicket.ts"
import { claimOnce } from "../UsedOnce.ts"

/** Time within which a sign-in has to be finished, seconds. */
export const stateSeconds = 600

export interface SignInState {
  /** Name of the provider. */
  readonly provider: string
  readonly state: string
  readonly nonce: string
  /** The code verifier of PKCE. */
  readonly verifier: string
  /** The path that the browser is led to afterwards. */
  readonly next: string
  /** Milliseconds since 1970. */
  readonly expires: number
}

const random = (): string => randomBytes(32).toString("base64url")

/** A new sign-in by the provider. */
export const newState = (provider: string, next: string, nowMillis: number): SignInState => ({
  ...{ provider, state: random(), nonce: random(), verifier: random() },
  next: pathInCookie(next),
  expires: nowMillis + stateSeconds * 1000
})

const purpose = "sign in by a provider"

export const sealState = (vault: Pick<Vault["Service"], "seal">, state: SignInState): string =>
  sealTicket(vault, purpose, state, state.expires)

/** The state in a cookie; undefined if it was changed, is none, or has expired. */
export const openState = (
  vault: Pick<Vault["Service"], "open">,
  cookie: string | undefined,
  nowMillis: number
): SignInState | undefined => openTicket<SignInState>(vault, purpose, cookie, nowMillis)

/** Notes that the state is finished. Returns false if it was before. */
export const claimState = ({ state }: SignInState) => claimOnce(state, stateSeconds)

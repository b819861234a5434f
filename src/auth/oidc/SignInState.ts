/**
 * A sign-in under way, between the browser's way to a provider and back.
 *
 * It is sealed into a cookie, so that beginning one stores nothing, and every process of the service can finish it. The
 * cookie binds it to the browser that began it. A row notes that it was finished: it is used once.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Vault, digest } from "../../inventory/Vault.ts"
import type { Table } from "../../postgres/migrate/Table.ts"

/** The digests of states that were finished, for as long as their cookies are valid. */
export const usedStateTable: Table = {
  name: "rackwire_oidc_used",
  daily: false,
  unlogged: true,
  columns: [
    { name: "digest", type: "text", nullable: false },
    { name: "expires", type: "timestamp with time zone", nullable: false }
  ],
  constraints: [{ name: "rackwire_oidc_used_digest_key", sql: "unique (digest)" }],
  indexes: [{ name: "rackwire_oidc_used_expires_idx", sql: "(expires)", unique: false }],
  triggers: [],
  published: false
}

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

/** Longest path that the cookie keeps, characters: browsers refuse cookies of more than 4096 bytes. */
const nextCharsMax = 1500

const random = (): string => randomBytes(32).toString("base64url")

/** A new sign-in by the provider. */
export const newState = (provider: string, next: string, nowMillis: number): SignInState => ({
  ...{ provider, state: random(), nonce: random(), verifier: random() },
  next: next.length > nextCharsMax ? "/" : next,
  expires: nowMillis + stateSeconds * 1000
})

/** Marks the sealed text: other texts that were sealed with the same key are no states. */
const purpose = "oidc sign-in"

export const sealState = ({ seal }: Pick<Vault["Service"], "seal">, state: SignInState): string =>
  seal(JSON.stringify({ purpose, ...state }))

/** The state in a cookie; undefined if it was changed, is none, or has expired. */
export const openState = (
  { open }: Pick<Vault["Service"], "open">,
  cookie: string | undefined,
  nowMillis: number
): SignInState | undefined => {
  const text = cookie === undefined ? undefined : open(cookie)
  if (text === undefined) return undefined
  try {
    const read = JSON.parse(text) as SignInState & { readonly purpose?: unknown }
    return read.purpose === purpose && read.expires > nowMillis ? read : undefined
  } catch {
    return undefined
  }
}

/** Notes that the state is finished. Returns false if it was before. */
export const claimState = Effect.fnUntraced(function* ({ state }: SignInState) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from rackwire_oidc_used where expires < now()`
  const noted = yield* sql`
    insert into rackwire_oidc_used (digest, expires)
    values (${digest(state)}, now() + make_interval(secs => ${2 * stateSeconds})) on conflict (digest) do nothing
    returning digest`
  return noted.length > 0
})

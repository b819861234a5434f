/**
 * Signing in by OpenID Connect.
 *
 * Responsible for: the providers that the options name, the way of a browser to a provider and back, and the claims
 * about its user. Guarantees: a code counts only with the state, the nonce and the PKCE verifier of the
 * browser that began, once, within ten minutes, and with an ID token that the provider signed for this client; requests
 * to providers obey the target policy, a deadline and a limit of bytes; where a provider is away, sessions continue.
 * Does not: begin sessions (Session.ts), give permissions, or follow changes of an account between its sign-ins.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Vault } from "../../inventory/Vault.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import { type Profile, profileOf } from "./Profile.ts"
import type { EndedAtProvider, ProviderClient } from "./ProviderClient.ts"
import { providerFetch } from "./ProviderFetch.ts"
import { type ProviderOptions, providerOptions } from "./ProviderOptions.ts"
import { SignInRefused, faultIn } from "../directory/SignInRefused.ts"
import { type SignInState, claimState, newState, openState, sealState } from "./SignInState.ts"

interface SignedIn extends Profile {
  readonly idToken: string
}

/** A provider that people can sign in by. */
export interface Provider {
  readonly options: ProviderOptions
  /** The address of the provider's page, and the cookie that has to return with the browser. */
  readonly begin: (
    redirectUri: string,
    next: string
  ) => Effect.Effect<{ readonly url: string; readonly cookie: string }, SignInRefused>
  /** The sign-in in a cookie; undefined if the cookie was changed, is none of a sign-in by the provider, or has expired. */
  readonly underWay: (cookie: string | undefined) => Effect.Effect<SignInState | undefined>
  /** The profile of the user for whom the provider led the browser of the sign-in to this address. */
  readonly finish: (
    callback: URL,
    state: SignInState | undefined
  ) => Effect.Effect<SignedIn, SignInRefused | SqlError.SqlError, SqlClient.SqlClient>
  /** The address by which a user logs out of the provider too; undefined if it has none, or is away. */
  readonly endSessionUrl: (backTo: string, idToken: string | undefined) => Effect.Effect<string | undefined>
  readonly endedBy: (logoutToken: string) => Effect.Effect<EndedAtProvider, SignInRefused>
  /** Reads the discovery document, and returns by how many seconds the provider's clock is ahead; 0 where it sends no date. */
  readonly discover: Effect.Effect<number, SignInRefused>
}

export class SingleSignOn extends Context.Service<SingleSignOn, { readonly providers: ReadonlyArray<Provider> }>()(
  "rackwire/auth/oidc/SingleSignOn"
) {
  /** Loads openid-client only where the options name a provider. Fails with OptionRefused. */
  static readonly layer = Layer.effect(
    SingleSignOn,
    Effect.gen(function* () {
      const named = yield* providerOptions
      if (named.length === 0) return SingleSignOn.of({ providers: [] })
      const loaded = yield* Effect.promise(() => import("./ProviderClient.ts"))
      const fetch = yield* providerFetch()
      const vault = yield* Vault
      const providers = named.map((options) => providerBy(new loaded.ProviderClient(options, fetch), vault))
      return SingleSignOn.of({ providers })
    })
  )
}

const providerBy = (client: ProviderClient, vault: Vault["Service"]): Provider => {
  const { options } = client
  const refused = (reason: SignInRefused["reason"], cause?: string, detail = "") =>
    new SignInRefused({ reason, provider: options.label, detail, ...(cause !== undefined && { cause }) })
  const calling = <A>(call: () => Promise<A>) =>
    Effect.tryPromise({ try: call, catch: (error) => refusalOf(error, refused) })
  return {
    options,
    begin: Effect.fnUntraced(function* (redirectUri, next) {
      const state = newState(options.name, next, yield* Clock.currentTimeMillis)
      const url = yield* calling(() => client.authorizationUrl(redirectUri, state))
      return { url, cookie: sealState(vault, state) }
    }),
    underWay: (cookie) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const state = openState(vault, cookie, now)
        return state?.provider === options.name ? state : undefined
      }),
    finish: Effect.fnUntraced(function* (callback, state) {
      if (state === undefined || state.state !== callback.searchParams.get("state")) return yield* refused("Expired")
      if (!(yield* claimState(state))) return yield* refused("Repeated")
      const { claims, idToken } = yield* calling(() => client.answerAt(callback, state))
      const profile = profileOf(claims, options.groupsClaim, (yield* Clock.currentTimeMillis) / 1000)
      return typeof profile === "string" ? yield* refused("InvalidClaims", undefined, profile) : { ...profile, idToken }
    }),
    endSessionUrl: (backTo, idToken) =>
      calling(() => client.endSessionUrl(backTo, idToken)).pipe(Effect.catch(() => Effect.succeed(undefined))),
    endedBy: (logoutToken) => calling(() => client.endedBy(logoutToken)),
    discover: Effect.map(
      calling(() => client.metadata()),
      () => client.aheadSeconds ?? 0
    )
  }
}

/** The refusal that an error of a provider or of openid-client means. */
const refusalOf = (
  error: unknown,
  refused: (reason: SignInRefused["reason"], cause?: string, detail?: string) => SignInRefused
): SignInRefused => {
  const fault = faultIn(error)
  if (fault !== undefined) return refused(fault.isAway ? "ProviderAway" : "InvalidAnswer", fault.message)
  const { code, error: declined } = error as { readonly code?: unknown; readonly error?: unknown }
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR")
    return refused("Declined", String(declined), /^[a-z_]{1,40}$/.test(String(declined)) ? String(declined) : "error")
  const algorithm = algorithmIn(error)
  if (algorithm !== undefined)
    return refused("InvalidAnswer", `its ID token is signed by ${algorithm}: let it sign with a key, as by RS256`)
  return refused("InvalidAnswer", [inWords(error), declined].flatMap((part) => part ?? []).join(": "))
}

/** The algorithm of a signature that openid-client does not verify, such as HMAC; undefined for other errors. */
const algorithmIn = (error: unknown): string | undefined => {
  if (typeof error !== "object" || error === null) return undefined
  const { alg, cause } = error as { readonly alg?: unknown; readonly cause?: unknown }
  return typeof alg === "string" ? alg : algorithmIn(cause)
}

/**
 * Exchange of tokens (RFC 8693): a machine with a token of a trusted issuer (Kubernetes, GitHub, GitLab) gets a token of
 * a user here for some minutes, so that it stores no secret.
 *
 * Guarantees: only keys of issuers of the option TOKEN_EXCHANGE are fetched, under the target policy, a deadline and a
 * limit of bytes; a token counts that the issuer signed, for an audience and a subject of a rule, and that has not
 * expired. Does not: make the token (http/account/Exchange.ts).
 */
import { Context, Effect, Layer } from "effect"
import { Settings } from "../../Config.ts"
import { OptionRefused } from "../../Setting.ts"
import { SignInRefused, faultIn } from "../directory/SignInRefused.ts"
import { providerFetch } from "../oidc/ProviderFetch.ts"
import { type ExchangeRule, ruleFor, rulesIn } from "./ExchangeRules.ts"

/** A token that may be exchanged. */
export interface Exchangeable {
  readonly rule: ExchangeRule
  readonly subject: string
}

/** Longest token, characters. */
const tokenCharsMax = 16_384

export class TokenExchange extends Context.Service<
  TokenExchange,
  {
    /** Whether the options trust an issuer. */
    readonly isOn: boolean
    /** The rule that admits a token. Fails with `ProviderAway`, or with `InvalidAnswer` and the reason for the log. */
    readonly admit: (token: string) => Effect.Effect<Exchangeable, SignInRefused>
  }
>()("rackwire/auth/exchange/TokenExchange") {
  /** Loads jose only where the option has rules. Fails with OptionRefused. */
  static readonly layer = Layer.effect(
    TokenExchange,
    Effect.gen(function* () {
      const { tokenExchange } = yield* Settings
      const rules = rulesIn(tokenExchange)
      if (typeof rules === "string") return yield* new OptionRefused({ message: `TOKEN_EXCHANGE: ${rules}` })
      const refused = (reason: "ProviderAway" | "InvalidAnswer", cause: string) =>
        new SignInRefused({ reason, provider: "the issuer of the token", cause })
      if (rules.length === 0) {
        return TokenExchange.of({ isOn: false, admit: () => refused("InvalidAnswer", "no issuer is trusted") })
      }
      const [{ decodeJwt }, { Issuer }] = yield* Effect.promise(() =>
        Promise.all([import("jose"), import("../oidc/Issuer.ts")])
      )
      const fetch = yield* providerFetch()
      const issuers = new Map(rules.map(({ issuer }) => [issuer, new Issuer(issuer, fetch)]))
      const verified = async (token: string): Promise<Exchangeable> => {
        if (token.length > tokenCharsMax) throw new Error(`it has more than ${tokenCharsMax} characters`)
        const named = decodeJwt(token).iss ?? ""
        const issuer = issuers.get(named)
        if (issuer === undefined) throw new Error(`its issuer ${named} is not trusted`)
        const audience = rules.filter((rule) => rule.issuer === named).map((rule) => rule.audience)
        const claims = await issuer.claimsOf(token, { audience, requiredClaims: ["exp", "iat", "sub", "aud"] })
        const rule = ruleFor(rules, claims)
        if (rule === undefined) throw new Error(`no rule of ${named} admits the subject ${claims.sub}`)
        return { rule, subject: String(claims.sub) }
      }
      return TokenExchange.of({
        isOn: true,
        admit: (token) =>
          Effect.tryPromise({
            try: () => verified(token),
            catch: (error) => {
              const fault = faultIn(error)
              const reason = fault?.isAway === true ? "ProviderAway" : "InvalidAnswer"
              return refused(reason, (fault ?? (error as Error)).message)
            }
          })
      })
    })
  )
}

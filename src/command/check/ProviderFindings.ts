/** The findings of `check` about the providers of sign-ins: whether each answers with its discovery document. */
import { Effect } from "effect"
import { skewSeconds } from "../../auth/oidc/Clock.ts"
import { callbackPath } from "../../auth/oidc/ProviderOptions.ts"
import type { SignInRefused } from "../../auth/directory/SignInRefused.ts"
import { SingleSignOn } from "../../auth/oidc/SingleSignOn.ts"
import { Settings, type Values } from "../../Config.ts"
import type { Finding } from "./Findings.ts"

const nameOf = (name: string): string => `OIDC_${name === "" ? "" : `${name.toUpperCase()}_`}ISSUER`

const problemOf = ({ reason, cause = "" }: SignInRefused): string =>
  reason === "ProviderAway" ? `does not answer: ${cause}` : `its discovery document cannot be used: ${cause}`

export const providerFindings = Effect.gen(function* () {
  const { providers } = yield* SingleSignOn
  const { baseUrl, localLogin, remoteAuthEnabled, ldapUrl } = yield* Settings
  const found = yield* Effect.forEach(
    providers,
    ({ options, discover }) =>
      discover.pipe(
        Effect.match({
          onSuccess: (aheadSeconds): Finding => ({
            what: `provider ${options.label}`,
            is: `${options.issuer} answers; its redirect address is ${baseUrl ?? "the service's address"}${callbackPath(options)}`,
            ...clockFault(aheadSeconds)
          }),
          onFailure: (refusal): Finding => ({
            what: `provider ${options.label}`,
            is: problemOf(refusal),
            change: `Check ${nameOf(options.name)}, that this machine reaches it, and that WEBHOOK_TARGET_POLICY or WEBHOOK_ALLOW lets it: nobody can log in by it meanwhile.`
          })
        })
      ),
    { concurrency: "unbounded" }
  )
  return [...found, ...judgeWays({ providers: providers.length, localLogin, remoteAuthEnabled, ldapUrl })]
})

/** The part of a finding about a clock that differs from ours. Pure. */
export const clockFault = (aheadSeconds: number): Partial<Finding> =>
  Math.abs(aheadSeconds) <= skewSeconds
    ? {}
    : {
        is: `answers, and its clock is ${Math.abs(aheadSeconds)} seconds ${aheadSeconds > 0 ? "ahead of" : "behind"} the one of this machine`,
        change: `Set both clocks by NTP: beyond ${skewSeconds} seconds its ID tokens are refused.`
      }

interface WaysIn extends Pick<Values, "localLogin" | "remoteAuthEnabled" | "ldapUrl"> {
  /** Number of providers. */
  readonly providers: number
}

/** Reports options with which nobody can log in. Pure. */
export const judgeWays = ({ providers, localLogin, remoteAuthEnabled, ldapUrl }: WaysIn): ReadonlyArray<Finding> =>
  providers + ldapUrl.length > 0 || remoteAuthEnabled || localLogin !== "off"
    ? []
    : [
        {
          what: "ways to log in",
          is: "LOCAL_LOGIN=off, and no provider, directory or proxy that names users",
          change: "Set OIDC_ISSUER or LDAP_URL, or LOCAL_LOGIN=superusers."
        }
      ]

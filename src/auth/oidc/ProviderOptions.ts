/** The providers of OpenID Connect that the options of this process name. */
import { Effect, type Redacted } from "effect"
import { Environment, type Variables } from "../../Environment.ts"
import { OptionRefused } from "../../Setting.ts"
import { providerSettings } from "../../SignInOptions.ts"
import type { Directory } from "../directory/Account.ts"
import { mappingOf, plainRules } from "../directory/GroupPlan.ts"

export interface ProviderOptions extends Directory {
  /** Its name in paths, in lower case; "" for the provider without a name. */
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  /** Undefined for a public client. */
  readonly clientSecret: Redacted.Redacted | undefined
  readonly scopes: string
  /** The claim with the names of groups; undefined where groups are given by hand. */
  readonly groupsClaim: string | undefined
}

/** Where a sign-in by the provider begins. */
export const signInPath = ({ name }: Pick<ProviderOptions, "name">): string =>
  name === "" ? "/login/oidc/" : `/login/oidc/${name}/`

/** Where the provider leads the browser back to. */
export const callbackPath = (provider: Pick<ProviderOptions, "name">): string => `${signInPath(provider)}callback/`

/** A name has two characters at least: a shorter one resembles a mistyped option. */
const issuerVariable = /^OIDC_(?:(?<name>[A-Z][A-Z0-9]{1,30})_)?ISSUER(?:_FILE)?$/

/** Segments of paths that a provider cannot have as its name. */
const reserved: ReadonlySet<string> = new Set(["CALLBACK", "BACKCHANNEL"])

/** The names of the providers in these variables, each with the `_` that its options have; "" for the one without a name. Pure. */
const namesIn = (variables: Variables): ReadonlyArray<string> => {
  const found = Object.keys(variables).flatMap((variable) => {
    const match = issuerVariable.exec(variable)
    return match === null || (variables[variable] ?? "") === "" ? [] : [match.groups!["name"] ?? ""]
  })
  return [...new Set(found)].sort()
}

/** All providers, the one without a name first. Fails with OptionRefused if an option is missing or not valid. */
export const providerOptions = Effect.gen(function* () {
  return yield* Effect.forEach(namesIn(yield* Environment), optionsOf)
})

const optionsOf = Effect.fnUntraced(function* (name: string) {
  if (reserved.has(name))
    return yield* new OptionRefused({ message: `OIDC_${name}_ISSUER: choose another name than ${name}.` })
  const prefix = name === "" ? "" : `${name}_`
  const settings = providerSettings(prefix)
  const issuer = yield* settings.oidcIssuer.value
  const clientId = yield* settings.oidcClientId.value
  if (issuer === undefined || clientId === undefined) {
    const message = `OIDC_${prefix}CLIENT_ID: is not set, and OIDC_${prefix}ISSUER needs it.`
    return yield* new OptionRefused({ message })
  }
  const mapping = mappingOf(yield* settings.oidcGroupsMap.value)
  if (typeof mapping === "string") return yield* new OptionRefused({ message: `OIDC_${prefix}GROUPS_MAP: ${mapping}` })
  const label = yield* settings.oidcLabel.value
  const scopes = (yield* settings.oidcScopes.value).split(/\s+/).filter((scope) => scope !== "")
  return {
    name: name.toLowerCase(),
    label: label ?? (name === "" ? "single sign-on" : name.toLowerCase()),
    issuer,
    clientId,
    clientSecret: yield* settings.oidcClientSecret.value,
    scopes: [...new Set(["openid", ...scopes])].join(" "),
    groupsClaim: yield* settings.oidcGroupsClaim.value,
    source: name === "" ? "oidc" : `oidc:${name.toLowerCase()}`,
    rules: {
      ...plainRules,
      mapping,
      prefix: yield* settings.oidcGroupsPrefix.value,
      creates: yield* settings.oidcGroupsCreate.value,
      superusers: { groups: yield* settings.oidcSuperuserGroups.value, users: [] }
    },
    adopts: yield* settings.oidcAdopt.value
  } satisfies ProviderOptions
})

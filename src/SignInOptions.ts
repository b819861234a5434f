/** The options of signing in by OpenID Connect: environment name, type, default, description. */
import * as kind from "./Setting.ts"
import { optional, setting } from "./Setting.ts"

/** The options of a provider; `name` is "" or, of a further provider, its name and `_`. */
export const providerSettings = <const Name extends string>(name: Name) => ({
  oidcIssuer: optional(
    `OIDC_${name}ISSUER`,
    kind.issuer,
    "Issuer of an OpenID Connect provider, to the letter as its discovery document has it. Users then log in by it ([signing in](signin.md)). Further providers have options with a name in them: `OIDC_CORP_ISSUER`, `OIDC_CORP_CLIENT_ID`, and log in at `/login/oidc/corp/`."
  ),
  oidcClientId: optional(
    `OIDC_${name}CLIENT_ID`,
    kind.text,
    "Id by which that provider identifies Rackwire. Required with `OIDC_ISSUER`."
  ),
  oidcClientSecret: optional(
    `OIDC_${name}CLIENT_SECRET`,
    kind.secret,
    "Secret of that client. Without it Rackwire is a public client, with PKCE alone.",
    "none"
  ),
  oidcScopes: setting(
    `OIDC_${name}SCOPES`,
    kind.text,
    "openid profile email",
    "Scopes that are requested, separated by spaces. `openid` is always one of them."
  ),
  oidcLabel: optional(
    `OIDC_${name}LABEL`,
    kind.text,
    "Name of the provider on the login page.",
    "single sign-on, or the name of a further provider"
  ),
  oidcGroupsClaim: optional(
    `OIDC_${name}GROUPS_CLAIM`,
    kind.text,
    "Claim with the names of the user's groups, such as `groups`. At each sign-in the user gets these groups here, and loses those that the claim gave before. Memberships given by hand stay.",
    "groups are given by hand"
  ),
  oidcGroupsCreate: setting(
    `OIDC_${name}GROUPS_CREATE`,
    kind.yesOrNo,
    false,
    "Whether groups of that claim that do not exist here are created, without permissions. They are ignored otherwise."
  ),
  oidcGroupsPrefix: setting(
    `OIDC_${name}GROUPS_PREFIX`,
    kind.text,
    "",
    "Beginning of the names in that claim that are used; the group here has the name without it."
  ),
  oidcGroupsMap: optional(
    `OIDC_${name}GROUPS_MAP`,
    kind.jsonObject,
    'Groups here by names of that claim, as JSON: `{"NetOps": "operators", "DC-Admins": ["operators", "sites"]}`. An empty list drops a name.',
    "none"
  ),
  oidcSuperuserGroups: setting(
    `OIDC_${name}SUPERUSER_GROUPS`,
    kind.list,
    [],
    "Groups of that claim whose members are superusers, comma-separated, by their names here. A user who left them is none any more.",
    ""
  ),
  oidcAdopt: setting(
    `OIDC_${name}ADOPT`,
    kind.oneOf("never", "verified-email"),
    "never",
    "Whether a first sign-in may take over the local user of the same name. `verified-email`: if the provider has verified the e-mail address, and the local user has the same one."
  )
})

export const signInOptions = {
  ...providerSettings(""),
  tokenExchange: optional(
    "TOKEN_EXCHANGE",
    kind.json,
    "Rules by which machines exchange a token of a trusted issuer for one of a user here, as a list in JSON ([machines without secrets](signin.md#machines-without-secrets)).",
    "none"
  )
} as const

/** The ways to log in beside a password: a button for each provider. */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import { type ProviderOptions, signInPath } from "../../auth/oidc/ProviderOptions.ts"
import { LdapDirectory } from "../../auth/ldap/LdapDirectory.ts"
import { SingleSignOn } from "../../auth/oidc/SingleSignOn.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"

export interface Ways {
  readonly providers: ReadonlyArray<ProviderOptions>
  /** Users who may log in with a password: those of a directory too, those here, superusers here alone, or none. */
  readonly passwords: "directory" | "on" | "superusers" | "off"
}

export const waysIn = Effect.gen(function* () {
  const { providers } = yield* SingleSignOn
  const { localLogin } = yield* Settings
  const { named } = yield* LdapDirectory
  const passwords = named === undefined ? localLogin : "directory"
  return { providers: providers.map(({ options }) => options), passwords } satisfies Ways
})

/** The buttons, which lead on to the path; nothing without a provider. They are links: no form may lead elsewhere. */
export const providerButtons = ({ providers, passwords }: Ways, next: string): Html =>
  providers.length === 0
    ? html``
    : html`<div class="ways">
          ${providers.map(
            (provider) =>
              html`<a class="btn" href="${signInPath(provider)}?${new URLSearchParams({ next }).toString()}"
                >${icon("key")}Log in with ${provider.label}</a
              >`
          )}
        </div>
        ${
          passwords === "off"
            ? ""
            : html`<p class="ways-or">
                ${passwords === "superusers" ? "or, as a superuser, with a password" : "or with a password"}
              </p>`
        }`

/** The sentence of a page without any way in. */
export const noWay = ({ providers, passwords }: Ways): Html =>
  providers.length === 0 && passwords === "off"
    ? html`<p>This page logs nobody in: passwords are off (LOCAL_LOGIN), and there is no provider.</p>`
    : html``

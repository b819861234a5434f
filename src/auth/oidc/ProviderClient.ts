/**
 * One provider, reached by openid-client: the way to its page, the exchange of a code, and the end of sessions. Nothing
 * of the protocol is written by hand.
 *
 * Keys are read anew at each sign-in, so that a provider may rotate or withdraw them at any time.
 */
import * as client from "openid-client"
import { reveal } from "../../Config.ts"
import { ProviderFault } from "../directory/SignInRefused.ts"
import { skewSeconds } from "./Clock.ts"
import { Issuer } from "./Issuer.ts"
import type { ProviderOptions } from "./ProviderOptions.ts"
import type { Claims } from "./Profile.ts"
import type { SignInState } from "./SignInState.ts"

/** Age of a logout token at most, seconds. */
const logoutTokenSeconds = 600

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/** The claims of which a user is made. Entra ID and Okta leave the parts of the name out of the ID token. */
const profileClaims = ["preferred_username", "email", "given_name", "family_name"]

/** The end of a session at the provider, or of all sessions of the subject. */
export interface EndedAtProvider {
  readonly issuer: string
  readonly subject: string | undefined
  readonly session: string | undefined
}

/** The answer of a provider about a user who has signed in. */
interface Answer {
  readonly claims: Claims
  /** As it was signed. */
  readonly idToken: string
}

export class ProviderClient {
  readonly options: ProviderOptions
  private readonly fetch: client.CustomFetch
  private readonly issuer: Issuer

  constructor(options: ProviderOptions, fetch: client.CustomFetch) {
    this.options = options
    this.fetch = fetch
    this.issuer = new Issuer(options.issuer, fetch)
  }

  /** The provider's metadata. Browsers are led to addresses of the web only. */
  async metadata(): Promise<client.ServerMetadata> {
    const metadata = await this.issuer.metadata()
    for (const address of [metadata.authorization_endpoint, metadata.end_session_endpoint]) this.refuseScheme(address)
    return metadata
  }

  /** By how much the clock of the provider is ahead of ours, seconds; undefined where it sends no date. */
  get aheadSeconds(): number | undefined {
    return this.issuer.aheadSeconds
  }

  /** The address of the provider's page. It leads back to the redirect address. */
  async authorizationUrl(redirectUri: string, { state, nonce, verifier }: SignInState): Promise<string> {
    const config = await this.configuration()
    return client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.options.scopes,
      ...{ state, nonce, code_challenge_method: "S256" },
      code_challenge: await client.calculatePKCECodeChallenge(verifier)
    }).href
  }

  /** The answer about the user for whom the provider led the browser to this address. */
  async answerAt(callback: URL, { state, nonce, verifier }: SignInState): Promise<Answer> {
    const config = await this.configuration()
    const tokens = await client.authorizationCodeGrant(config, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true
    })
    const claims: Claims = tokens.claims()!
    const idToken = tokens.id_token!
    const { groupsClaim = "sub" } = this.options
    const isWhole = [...profileClaims, groupsClaim].every((claim) => claim in claims)
    if (isWhole || config.serverMetadata().userinfo_endpoint === undefined) return { claims, idToken }
    // The claims of the ID token are signed: they count first.
    const more = await client.fetchUserInfo(config, tokens.access_token, String(claims["sub"]))
    return { claims: { ...more, ...claims }, idToken }
  }

  /**
   * The address by which the user logs out of the provider too; undefined if it has none. Some refuse a logout without the
   * ID token of the sign-in.
   */
  async endSessionUrl(backTo: string, idToken: string | undefined): Promise<string | undefined> {
    const config = await this.configuration()
    if (config.serverMetadata().end_session_endpoint === undefined) return undefined
    const hint = idToken === undefined ? {} : { id_token_hint: idToken }
    return client.buildEndSessionUrl(config, { post_logout_redirect_uri: backTo, ...hint }).href
  }

  /** The sessions that a logout token ends (OpenID Connect Back-Channel Logout 1.0). Rejects if it is not valid. */
  async endedBy(logoutToken: string): Promise<EndedAtProvider> {
    const { issuer } = await this.metadata()
    const payload = await this.issuer.claimsOf(logoutToken, {
      audience: this.options.clientId,
      requiredClaims: ["iat", "exp", "jti"],
      maxTokenAge: logoutTokenSeconds
    })
    const events = payload["events"] as Readonly<Record<string, unknown>> | undefined
    const { sub: subject, sid: session } = payload
    if (typeof events?.[logoutEvent] !== "object" || "nonce" in payload)
      throw new ProviderFault("it is no logout token", false)
    if (subject === undefined && typeof session !== "string")
      throw new ProviderFault("it names neither a subject nor a session", false)
    return { issuer, subject, session: typeof session === "string" ? session : undefined }
  }

  private refuseScheme(address: string | undefined): void {
    if (address !== undefined && !(this.issuer.isLocal ? /^https?:/ : /^https:/).test(address))
      throw new ProviderFault(`its discovery document has the address ${address}`, false)
  }

  /** For one use: openid-client keeps the keys with it. */
  private async configuration(): Promise<client.Configuration> {
    const metadata = await this.metadata()
    const { clientId, clientSecret } = this.options
    const secret = clientSecret === undefined ? undefined : reveal(clientSecret)
    const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    const inHeader = methods.includes("client_secret_basic") || !methods.includes("client_secret_post")
    const auth =
      secret === undefined
        ? client.None()
        : inHeader
          ? client.ClientSecretBasic(secret)
          : client.ClientSecretPost(secret)
    const config = new client.Configuration(metadata, clientId, { [client.clockTolerance]: skewSeconds }, auth)
    config[client.customFetch] = this.fetch
    // The ID token arrives over TLS, but its signature counts too.
    client.enableNonRepudiationChecks(config)
    if (this.issuer.isLocal) client.allowInsecureRequests(config)
    return config
  }
}

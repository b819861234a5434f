/**
 * An issuer of signed tokens: its discovery document and its keys.
 *
 * Its metadata are read when they are needed, kept for an hour, and read again after a failure; concurrent requests
 * share one read. Tokens are verified by keys that the issuer publishes, never by HMAC.
 */
import * as client from "openid-client"
import { type JWTPayload, type JWTVerifyOptions, createRemoteJWKSet, customFetch, jwtVerify } from "jose"
import { ProviderFault } from "../directory/SignInRefused.ts"
import { skewSeconds } from "./Clock.ts"

/** How long metadata are kept, milliseconds. */
const keptMillis = 3_600_000

/** Signatures by keys that an issuer publishes: no HMAC, and never none. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]

export class Issuer {
  private readonly issuer: string
  private readonly fetch: client.CustomFetch
  private kept: { readonly metadata: client.ServerMetadata; readonly at: number } | undefined
  private pending: Promise<client.ServerMetadata> | undefined
  private keys: ReturnType<typeof createRemoteJWKSet> | undefined
  /** By how much the issuer's clock is ahead of ours, by its last metadata, seconds; undefined where it sends no date. */
  aheadSeconds: number | undefined

  constructor(issuer: string, fetch: client.CustomFetch) {
    this.issuer = issuer
    this.fetch = fetch
  }

  async metadata(): Promise<client.ServerMetadata> {
    if (this.kept !== undefined && performance.now() - this.kept.at < keptMillis) return this.kept.metadata
    this.pending ??= this.discover().finally(() => (this.pending = undefined))
    return this.pending
  }

  /** The claims of a token of the issuer that meets these expectations. Rejects if it is not valid. */
  async claimsOf(token: string, expected: Omit<JWTVerifyOptions, "algorithms" | "issuer">): Promise<JWTPayload> {
    const { issuer, jwks_uri: address } = await this.metadata()
    if (address === undefined) throw new ProviderFault("it publishes no keys", false)
    this.keys ??= createRemoteJWKSet(new URL(address), {
      [customFetch]: (url, { headers, method, signal, redirect }) =>
        this.fetch(url, { body: null, headers: Object.fromEntries(headers), method, signal, redirect })
    })
    const { payload } = await jwtVerify(token, this.keys, {
      ...{ issuer, algorithms, clockTolerance: skewSeconds },
      ...expected
    })
    return payload
  }

  private async discover(): Promise<client.ServerMetadata> {
    // No client is registered for reading a document.
    const found = await client.discovery(new URL(this.issuer), "rackwire", undefined, client.None(), {
      [client.customFetch]: (...request) => this.timed(...request),
      execute: this.isLocal ? [client.allowInsecureRequests] : []
    })
    const metadata = found.serverMetadata()
    // Microsoft's addresses for all organizations describe no single issuer.
    if (new URL(metadata.issuer).href !== new URL(this.issuer).href)
      throw new ProviderFault(`its discovery document has the issuer ${metadata.issuer}, not ${this.issuer}`, false)
    this.kept = { metadata, at: performance.now() }
    this.keys = undefined
    return metadata
  }

  private async timed(...request: Parameters<client.CustomFetch>): Promise<Response> {
    const answer = await this.fetch(...request)
    const ahead = (Date.parse(answer.headers.get("date") ?? "") - performance.timeOrigin - performance.now()) / 1000
    this.aheadSeconds = Number.isNaN(ahead) ? undefined : Math.round(ahead)
    return answer
  }

  /** An issuer on this machine needs no TLS: no other one may begin with http (Setting.ts). */
  get isLocal(): boolean {
    return this.issuer.startsWith("http:")
  }
}

/**
 * How a webhook shows its receiver who it is: user information in the address, a TLS client certificate, and a token by
 * OAuth 2.0. Signatures are apart (Sign.ts): they show who made the body.
 *
 * Guarantees: what a row keeps sealed is opened when its definition is made, not at every attempt; an attempt of a
 * webhook without a token does nothing here but to send.
 */
import { Effect } from "effect"
import type { Vault } from "../../inventory/Vault.ts"
import { wholeText } from "../../inventory/write/Hidden.ts"
import { objectType } from "../../inventory/Registry.ts"
import type { WebhookRow } from "../../match/WebhookIndex.ts"
import type { Definition } from "../Definition.ts"
import type { Connected } from "../Connected.ts"
import type { Outgoing } from "../../transport/Outgoing.ts"
import { sending } from "../../transport/Send.ts"
import { type Answer, Unsendable } from "../../event/Outcome.ts"
import { AccessTokens } from "./AccessTokens.ts"
import type { ClientCertificate } from "../../transport/certificate/ClientCertificate.ts"
import type { OAuthClient } from "./TokenRequest.ts"

export interface Identity {
  /** The address with its user information, or a template of it. */
  readonly address: string
  readonly certificate: ClientCertificate | undefined
  readonly oauth: (OAuthClient & { readonly madeFrom: string }) | undefined
}

const webhookType = objectType("extras.webhook")

/** The identity of a row, or the name of its first field that cannot be read with our key. */
export const identityOf = (row: WebhookRow, vault: Vault["Service"]): Identity | { readonly unreadable: string } => {
  const open = (sealed: string) => (sealed === "" ? "" : vault.open(sealed))
  const address = wholeText(webhookType, row, "payload_url", vault)
  const { client_certificate: cert, oauth_token_url: url, oauth_client_id: id } = row
  const key = cert === "" ? "" : open(row.client_key)
  const secret = url === "" ? "" : open(row.oauth_client_secret)
  if (address === undefined) return { unreadable: "payload_url" }
  if (key === undefined) return { unreadable: "client_key" }
  if (secret === undefined) return { unreadable: "oauth_client_secret" }
  const client = { url, id, secret, scope: row.oauth_scope, auth: row.oauth_client_auth }
  const reached = [cert, key, row.ssl_verification, row.ca_certificate, row.ca_file_path, row.timeout]
  return {
    address,
    certificate: cert === "" ? undefined : { cert, key },
    oauth: url === "" ? undefined : { ...client, madeFrom: JSON.stringify([client, reached]) }
  }
}

/** The tokens of a webhook's definition, undefined where it needs none; those of the one before it if they still hold. */
export const tokensOf = (
  { identity, target }: Definition,
  before: AccessTokens | undefined
): AccessTokens | undefined => {
  if (!("oauth" in identity) || identity.oauth === undefined) return undefined
  const { madeFrom } = identity.oauth
  return before?.madeFrom === madeFrom ? before : new AccessTokens(identity.oauth, target, madeFrom)
}

/** A request as it was sent, with its token, and the answer. */
type Answered = readonly [request: Outgoing, answer: Answer]

/** Sends the request, with a token if the webhook has one; fails where no token is to be had. */
export const sendAs = (
  outgoing: Outgoing,
  { definition: { timeoutMillis }, connections, tokens }: Connected,
  nowMillis: number
): Effect.Effect<Answered, Unsendable> =>
  tokens === undefined
    ? Effect.map(sending(outgoing, connections, timeoutMillis, nowMillis), (answer) => [outgoing, answer])
    : sendWithToken(outgoing, { connections, timeoutMillis }, tokens, nowMillis)

/** A token that the receiver refuses is renewed once. All of it together has the time of one attempt. */
const sendWithToken = Effect.fnUntraced(function* (
  outgoing: Outgoing,
  { connections, timeoutMillis }: Pick<Connected, "connections"> & Pick<Definition, "timeoutMillis">,
  tokens: AccessTokens,
  nowMillis: number
) {
  const begun = performance.now()
  const leftMillis = () => Math.max(Math.round(begun + timeoutMillis - performance.now()), 1)
  const sendWith = (token: string) => {
    const bearing = { ...outgoing, headers: { ...outgoing.headers, authorization: `Bearer ${token}` } }
    const answered = (answer: Answer): Answered => [bearing, answer]
    return Effect.map(sending(bearing, connections, leftMillis(), nowMillis), answered)
  }
  const first = yield* tokens.get(leftMillis())
  if (first.failure !== undefined) return yield* new Unsendable({ failure: first.failure })
  const answered = yield* sendWith(first.token)
  const [sent, answer] = answered
  if (answer.response?.status !== 401 || answer.failure?.reason !== "Status") return answered
  const second = yield* tokens.renew(first.token, leftMillis())
  if (second.failure !== undefined) {
    const message = `The receiver refused the token with 401. ${second.failure.message}`
    return [sent, { ...answer, failure: { ...second.failure, message } }] satisfies Answered
  }
  return second.token === first.token ? answered : yield* sendWith(second.token)
})

/**
 * How a webhook shows its receiver who it is: user information in the address, a TLS client certificate, and a token by
 * OAuth 2.0. Signatures are apart (Sign.ts): they show who made the body.
 *
 * Guarantees: what a row keeps sealed is opened when its definition is made, not at every attempt.
 */
import type { Vault } from "../../inventory/Vault.ts"
import { wholeText } from "../../inventory/write/Hidden.ts"
import { objectType } from "../../inventory/Registry.ts"
import type { WebhookRow } from "../../match/WebhookIndex.ts"
import type { ClientCertificate } from "../../transport/certificate/ClientCertificate.ts"
import type { OAuthClient } from "./TokenRequest.ts"

export interface Identity {
  /** The address with its user information, or a template of it. */
  readonly address: string
  readonly certificate: ClientCertificate | undefined
  readonly oauth: (OAuthClient & { readonly madeFrom: string }) | undefined
}

const webhookType = objectType("extras.webhook")

/** The identity of a row, or the name of its first field that no known key opens. */
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

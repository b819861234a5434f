/** The credentials of a webhook: which belong together, and to whom each is sent. */
import type { Errors, Row } from "../../Field.ts"
import { destinationOf } from "../../field/hidden/Destination.ts"

interface ClientCertificate {
  readonly client_certificate: string
  readonly client_key: string
}

/** A key that is kept may outlive its certificate: a form cannot blank it. */
export const certificateErrors = (
  { client_certificate: certificate, client_key: key }: ClientCertificate,
  before?: ClientCertificate
): Errors => {
  if (certificate !== "" && key === "") return { client_key: ["Enter the private key of the client certificate."] }
  if (certificate === "" && key !== "" && key !== before?.client_key) {
    return { client_key: ["It is used with client_certificate only."] }
  }
  return {}
}

/** An address, and what decides whether a peer is taken for the one that belongs there. */
const peerOf = (row: Row, address: unknown, engine: unknown = "jinja"): ReadonlyArray<string> => {
  const { ssl_verification: isVerified, ca_file_path: file, ca_certificate: certificate } = row
  return address === ""
    ? []
    : [JSON.stringify([destinationOf(String(address), String(engine)), isVerified, file ?? "", certificate])]
}

/** Credentials go to the receiver. */
export const sentToReceiver = (row: Row) => peerOf(row, row["payload_url"], row["template_engine"])

/**
 * The secret of the client goes to the token endpoint, and the token that it gives to the receiver: a receiver is no
 * token endpoint that knows the secret.
 */
export const sentToBoth = (row: Row) => [
  ...sentToReceiver(row),
  ...peerOf(row, row["oauth_token_url"]).map((endpoint) => `token endpoint ${endpoint}`)
]

interface Client {
  readonly oauth_token_url: string
  readonly oauth_client_id: string
  readonly oauth_client_secret: string
  readonly oauth_scope: string
}

export const oauthErrors = (row: Client, before?: Client): Errors => {
  const { oauth_token_url: url, oauth_client_id: id, oauth_client_secret: secret, oauth_scope: scope } = row
  const unused = ["It is used with oauth_token_url only."]
  if (url === "") {
    return {
      ...(id !== "" && { oauth_client_id: unused }),
      ...(scope !== "" && { oauth_scope: unused }),
      ...(secret !== "" && secret !== before?.oauth_client_secret && { oauth_client_secret: unused })
    }
  }
  return {
    ...(id === "" && { oauth_client_id: ["Enter the id that the token endpoint expects."] }),
    ...(secret === "" && { oauth_client_secret: ["Enter the secret of the client."] })
  }
}

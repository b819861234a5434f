/**
 * Signatures of a request: NetBox's, and beside it the signatures of Standard Webhooks.
 *
 * While a secret is being replaced a request is signed with both, so that a receiver may change to the new one whenever
 * it likes.
 */
import { createHmac, createPrivateKey, sign as signWithKey } from "node:crypto"
import { emptyRecord } from "../inventory/Field.ts"

/**
 * `X-Hook-Signature`: lower-case hex of HMAC-SHA512 over the exact bytes of the body, keyed with the secret's UTF-8.
 */
export const sign = (secret: string, body: Uint8Array): string =>
  createHmac("sha512", secret).update(body).digest("hex")

export interface Signing {
  readonly style: "netbox" | "standard"
  /** "" for none. */
  readonly secret: string
  /** The one that is being replaced; "" for none. */
  readonly previous: string
}

interface SignedContent {
  /** Stable through all attempts; has no `.`. */
  readonly id: string
  /** Time of the attempt, seconds since 1970. */
  readonly timestamp: number
  readonly body: Buffer
}

/** The headers that sign a request. */
export const signatureHeaders = (
  { style, secret, previous }: Signing,
  signed: SignedContent
): Record<string, string> => {
  const headers = emptyRecord<string>()
  if (secret !== "") headers["x-hook-signature"] = sign(secret, signed.body)
  if (previous !== "") headers["x-hook-signature-previous"] = sign(previous, signed.body)
  if (style === "netbox") return headers
  headers["webhook-id"] = signed.id
  headers["webhook-timestamp"] = `${signed.timestamp}`
  const head = `${signed.id}.${signed.timestamp}.`
  const signatures = [secret, previous]
    .filter((each) => each !== "")
    .map((each) => standardSignature(each, head, signed.body))
  if (signatures.length > 0) headers["webhook-signature"] = signatures.join(" ")
  return headers
}

/**
 * `v1,<base64>` of HMAC-SHA256 under a secret `whsec_<base64>`, or under the UTF-8 of any other text; `v1a,<base64>` of
 * Ed25519 under a private key `whsk_<base64>`.
 */
const standardSignature = (secret: string, head: string, body: Buffer): string => {
  if (secret.startsWith("whsk_")) {
    const content = Buffer.concat([Buffer.from(head), body])
    return `v1a,${signWithKey(null, content, privateKey(secret)).toString("base64")}`
  }
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret
  return `v1,${createHmac("sha256", key).update(head).update(body).digest("base64")}`
}

/** The bytes before the 32 bytes of an Ed25519 seed in PKCS #8. */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex")

const keyBytes = (secret: string): Buffer => Buffer.from(secret.slice("whsk_".length), "base64")

/** The key has the private seed, and may have the public key behind it. */
const privateKey = (secret: string) =>
  createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, keyBytes(secret).subarray(0, 32)]),
    format: "der",
    type: "pkcs8"
  })

/** Returns the reason why a secret cannot sign, or undefined. */
export const secretProblem = (secret: string): string | undefined => {
  if (secret.startsWith("whsk_") && ![32, 64].includes(keyBytes(secret).length)) {
    return "A secret that begins with whsk_ is an Ed25519 key: 32 or 64 bytes in base64."
  }
  const standard = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
  if (secret.startsWith("whsec_") && (!standard.test(secret) || secret.length < 32 + "whsec_".length)) {
    return "A secret that begins with whsec_ is at least 24 bytes in base64."
  }
  return undefined
}

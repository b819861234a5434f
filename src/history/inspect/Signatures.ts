/** The signatures of a request that was sent, compared with signatures by the secrets that its webhook has now. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Vault } from "../../inventory/Vault.ts"
import { signatureHeaders } from "../../webhook/Sign.ts"
import type { LoggedAttempt } from "./Attempts.ts"

export interface SignatureCheck {
  readonly header: string
  readonly scheme: "netbox" | "standard"
  readonly algorithm: "HMAC-SHA512" | "HMAC-SHA256" | "Ed25519"
  readonly encoding: "hex" | "base64"
  /** As the header has it; of Standard Webhooks one of its signatures, with `v1,`. */
  readonly value: string
  /** Text that is signed before the body. */
  readonly prefix: string
  /** The secret of the webhook that gives this signature for the body; null if neither does. */
  readonly secret: "current" | "previous" | null
}

interface SignedDelivery {
  readonly webhook: number | null
  readonly delivery_id: string
}

type Headers = LoggedAttempt["request_headers"]

/** The signatures among the headers, each with the secret that gives it for this body. */
export const checkSignatures = Effect.fnUntraced(function* (signed: SignedDelivery, headers: Headers, body: Buffer) {
  const found = signaturesIn(headers, signed.delivery_id)
  if (found.length === 0 || signed.webhook === null) return found
  const { open } = yield* Vault
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly secret: string; readonly previous: string }>`
    select secret, previous_secret as previous from extras_webhook where id = ${signed.webhook}::bigint`
  const secrets = [
    ["current", row?.secret ?? ""],
    ["previous", row?.previous ?? ""]
  ] as const
  const timestamp = Number(valueOf(headers, "webhook-timestamp") ?? 0)
  const made = secrets.flatMap(([name, sealed]) => {
    const secret = sealed === "" ? "" : open(sealed)
    if (secret === undefined || secret === "") return []
    return [[name, signaturesOf(secret, { id: signed.delivery_id, timestamp, body })] as const]
  })
  return found.map((each): SignatureCheck => ({
    ...each,
    secret: made.find(([, values]) => values.includes(each.value))?.[0] ?? null
  }))
})

/** The signatures that a secret gives; none if it is no key that can sign, as plain SQL may have written one. */
const signaturesOf = (secret: string, signed: Parameters<typeof signatureHeaders>[1]): ReadonlyArray<string> => {
  try {
    return Object.values(signatureHeaders({ style: "standard", secret, previous: "" }, signed))
  } catch {
    return []
  }
}

const valueOf = (headers: Headers, wanted: string): string | undefined =>
  headers.find(({ name }) => name === wanted)?.value

/** A value that a webhook without a secret sends under these names is its own text, and no signature of ours. */
const signaturesIn = (headers: Headers, id: string): ReadonlyArray<SignatureCheck> => {
  const netbox = ["x-hook-signature", "x-hook-signature-previous"].flatMap((header): ReadonlyArray<SignatureCheck> => {
    const value = valueOf(headers, header) ?? ""
    if (!/^[0-9a-f]{128}$/.test(value)) return []
    return [{ header, scheme: "netbox", algorithm: "HMAC-SHA512", encoding: "hex", value, prefix: "", secret: null }]
  })
  const timestamp = valueOf(headers, "webhook-timestamp") ?? ""
  if (valueOf(headers, "webhook-id") !== id || !/^\d{1,15}$/.test(timestamp)) return netbox
  const prefix = `${id}.${timestamp}.`
  const values = (valueOf(headers, "webhook-signature") ?? "").split(" ").filter((each) => standardValue.test(each))
  return [
    ...netbox,
    ...values.map((value): SignatureCheck => ({
      ...{ header: "webhook-signature", scheme: "standard", encoding: "base64", value, prefix, secret: null },
      algorithm: value.startsWith("v1a,") ? "Ed25519" : "HMAC-SHA256"
    }))
  ]
}

const standardValue = /^(?:v1,[A-Za-z0-9+/]{43}=|v1a,[A-Za-z0-9+/]{86}==)$/

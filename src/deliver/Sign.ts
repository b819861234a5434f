import { createHmac } from "node:crypto"

/** `X-Hook-Signature`: lower-case hex of HMAC-SHA512 over the exact bytes of the body, keyed with the secret's UTF-8. */
export const sign = (secret: string, body: Uint8Array): string =>
  createHmac("sha512", secret).update(body).digest("hex")

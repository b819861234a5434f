/**
 * The TLS client certificate of a webhook: a chain in PEM, and its private key.
 *
 * Guarantees: a key that was accepted belongs to the certificate, and signs within a few milliseconds, since it does so
 * on the event loop at every handshake. A problem fails the connection that needs it and nothing else.
 */
import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto"
import { type SecureContext, type SecureContextOptions, createSecureContext } from "node:tls"
import { certificatesProblem } from "../attempt/CertificateAuthority.ts"

export interface ClientCertificate {
  /** The certificate itself first, then those that lead to its CA, in PEM. */
  readonly cert: string
  /** In PEM. */
  readonly key: string
}

/** Most certificates of a chain. */
const chainMax = 10

/** Longest RSA key, bits: signing with 4096 takes 3 ms, with 8192 it took 60. */
const rsaBitsMax = 4096

/** Public exponents of RSA keys are below: signing with one of 3000 bytes takes 90 ms. Other parts OpenSSL checks. */
const exponentEnd = 2n ** 64n

const curves: ReadonlySet<string | undefined> = new Set(["prime256v1", "secp384r1", "secp521r1"])

/** The client certificate cannot be used. Nothing was sent. */
class UnusableClientCertificate extends Error {
  readonly code = "ERR_CLIENT_CERTIFICATE"
}

/** Returns the fault of a text that should hold a chain of certificates at this time, or undefined. */
export const clientCertificateProblem = (pem: string, nowMillis: number): string | undefined => {
  const problem = chainProblem(pem)
  if (problem !== undefined) return problem
  const { validToDate } = new X509Certificate(pem)
  return validToDate.getTime() < nowMillis ? `The certificate expired at ${validToDate.toISOString()}.` : undefined
}

const chainProblem = (pem: string): string | undefined => {
  const count = pem.split("-----BEGIN ").length - 1
  return count > chainMax ? `Enter at most ${chainMax} certificates, not ${count}.` : certificatesProblem(pem)
}

/** Returns the fault of a private key, also that it is not the one of the certificate, or undefined. */
export const clientKeyProblem = (key: string, certificate: string): string | undefined => {
  if (/ENCRYPTED/.test(key)) return "The key is encrypted: enter it without a passphrase."
  const read = keyIn(key)
  if (read === undefined) return "Enter a private key in PEM format, such as -----BEGIN PRIVATE KEY-----."
  const problem = kindProblem(read)
  if (problem !== undefined || certificate === "" || chainProblem(certificate) !== undefined) return problem
  if (!new X509Certificate(certificate).checkPrivateKey(read))
    return "It is not the key of the first certificate in client_certificate."
  try {
    contextOf({ cert: certificate, key }, { ca: [] })
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const keyIn = (key: string): KeyObject | undefined => {
  try {
    return createPrivateKey(key)
  } catch {
    return undefined
  }
}

const kindProblem = (key: KeyObject): string | undefined => {
  const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = key
  if (kind === "ed25519" || (kind === "ec" && curves.has(details?.namedCurve))) return undefined
  if (kind !== "rsa") return "Enter a key of RSA, of Ed25519, or of the curve P-256, P-384 or P-521."
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = details ?? {}
  if (bits > rsaBitsMax) return `An RSA key must not have more than ${rsaBitsMax} bits.`
  return exponent < exponentEnd ? undefined : "The public exponent of an RSA key must not have more than 64 bits."
}

/** A context of TLS that shows the certificate, where there is one. Throws an UnusableClientCertificate. */
export const contextOf = (client: ClientCertificate | undefined, options: SecureContextOptions): SecureContext => {
  if (client === undefined) return createSecureContext(options)
  try {
    return createSecureContext({ ...options, ...client })
  } catch (error) {
    const { reason, message } = error as Error & { readonly reason?: string }
    throw new UnusableClientCertificate(`The client certificate cannot be used: ${reason ?? message}.`)
  }
}

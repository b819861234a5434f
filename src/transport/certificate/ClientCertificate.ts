/**
 * The TLS client certificate of a webhook: a chain in PEM, and its private key.
 *
 * Guarantees: OpenSSL gets only keys and certificates that our own reader accepts (`KeyKind.ts`, `Certificates.ts`). A
 * key that was accepted belongs to the certificate, and signs within a few milliseconds, since it does so on the event
 * loop at every handshake. A problem fails the connection that needs it and nothing else.
 */
import { X509Certificate, createPrivateKey } from "node:crypto"
import { type SecureContext, type SecureContextOptions, createSecureContext } from "node:tls"
import { type ReadCertificates, readCertificates } from "./Certificates.ts"
import { tlsOptions } from "../TlsOptions.ts"
import { privateKeyProblem } from "./KeyKind.ts"
import { blocksIn, pemOf } from "./Pem.ts"

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

/** The client certificate cannot be used. Nothing was sent. */
class UnusableClientCertificate extends Error {
  readonly code = "ERR_CLIENT_CERTIFICATE"

  constructor(why: string) {
    super(`The client certificate cannot be used: ${why}`)
  }
}

/** Returns the fault of a text that should be a chain of certificates at this time, or undefined. */
export const clientCertificateProblem = (text: string, nowMillis: number): string | undefined => {
  const { pem, problem } = readChain(text)
  if (pem === undefined) return problem
  const { validToDate } = new X509Certificate(pem)
  return validToDate.getTime() < nowMillis ? `The certificate expired at ${validToDate.toISOString()}.` : undefined
}

const readChain = (text: string): ReadCertificates => readCertificates(text, chainMax)

/** Returns the fault of a private key, also that it is not the one of the certificate, or undefined. */
export const clientKeyProblem = (text: string, certificate: string): string | undefined => {
  const { pem: key, problem } = readKey(text)
  if (key === undefined || certificate === "") return problem
  const { pem: cert } = readChain(certificate)
  // The field of the certificate has its own fault.
  if (cert === undefined) return undefined
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    return "It is not the key of the first certificate in client_certificate."
  try {
    contextOf({ cert, key }, { ca: [] })
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

type ReadKey =
  | { readonly pem: string; readonly problem?: undefined }
  | { readonly pem?: undefined; readonly problem: string }

const noKey = { problem: "Enter a private key in PEM format, such as -----BEGIN PRIVATE KEY-----." }

const keyProblems = {
  encoding: noKey.problem,
  kind: "Enter a key of RSA, of Ed25519, or of the curve P-256, P-384 or P-521.",
  modulus: `An RSA key must not have more than ${rsaBitsMax} bits.`,
  exponent: "The public exponent of an RSA key must not have more than 64 bits."
}

/** The one private key of a text, in PEM that OpenSSL may read. `openssl ecparam` writes parameters before it. */
const readKey = (text: string): ReadKey => {
  if (/ENCRYPTED/.test(text)) return { problem: "The key is encrypted: enter it without a passphrase." }
  const [found, ...others] = blocksIn(text).filter(({ label }) => label.endsWith("PRIVATE KEY"))
  if (found?.bytes === undefined || others.length > 0) return noKey
  const problem = privateKeyProblem(found.label, found.bytes, rsaBitsMax)
  if (problem !== undefined) return { problem: keyProblems[problem] }
  const pem = pemOf(found.label, found.bytes)
  try {
    createPrivateKey(pem)
    return { pem }
  } catch {
    return noKey
  }
}

/** A context of TLS that shows the certificate, where there is one. Throws an UnusableClientCertificate. */
export const contextOf = (
  client: ClientCertificate | undefined,
  trust: Pick<SecureContextOptions, "ca">
): SecureContext => {
  const options = { ...tlsOptions, ...trust }
  if (client === undefined) return createSecureContext(options)
  // Plain SQL may have written both.
  const [{ pem: cert, problem }, key] = [readChain(client.cert), readKey(client.key)]
  if (cert === undefined) throw new UnusableClientCertificate(problem)
  if (key.pem === undefined) throw new UnusableClientCertificate(key.problem)
  try {
    return createSecureContext({ ...options, cert, key: key.pem })
  } catch (error) {
    const { reason, message } = error as Error & { readonly reason?: string }
    throw new UnusableClientCertificate(`${reason ?? message}.`)
  }
}

/**
 * Texts of certificates. Our own reader decides which of them OpenSSL gets: those with a public key of a kind and size
 * that `KeyKind.ts` accepts, of bounded size, and with a bounded number of names and name constraints.
 *
 * Measured: 200 certificates, the worst text that these limits allow, take 14 ms to read with keys of P-521 and 16 ms with
 * RSA 8192, so OpenSSL reads them on the event loop. With each handshake it compares every name of the chain with every
 * name constraint above it: of these a text has few.
 */
import { X509Certificate } from "node:crypto"
import { type Elements, contentAs, elementsAs, elementsIn, oidIn, tags } from "./Der.ts"
import { publicKeyProblem } from "./KeyKind.ts"
import { blocksBegun, blocksIn, pemOf } from "./Pem.ts"

/** Most certificates in one text. */
const certificatesMax = 200

/** Largest certificate, bytes. Public CAs have 2 kB. */
const certificateBytesMax = 8192

/** Most bytes of alternative names and name constraints, in all certificates of one text together. */
const nameBytesMax = 4096

/** Longest RSA key of a certificate, bits. */
const rsaBitsMax = 8192

/** Certificates in PEM that OpenSSL may read, or the fault of the text. */
export type ReadCertificates =
  | { readonly pem: string; readonly problem?: undefined }
  | { readonly pem?: undefined; readonly problem: string }

const labels = /^(?:TRUSTED |X509 )?CERTIFICATE$/

export const readCertificates = (text: string, countMax = certificatesMax): ReadCertificates => {
  const blocks = blocksIn(text)
  const found = blocks.filter(({ label }) => labels.test(label))
  if (found.length === 0) {
    return { problem: "Enter certificates in PEM format, beginning with -----BEGIN CERTIFICATE-----." }
  }
  const begun = blocksBegun(text)
  if (begun > countMax) return { problem: `Enter at most ${countMax} certificates, not ${begun}.` }
  if (begun !== found.length) {
    return { problem: "Every block must be a complete certificate; private keys do not belong here." }
  }
  let nameBytes = 0
  const written: Array<string> = []
  for (const { label, bytes } of found) {
    const judged = bytes === undefined ? unreadable : judge(bytes)
    const pem = pemOf(label, bytes ?? Buffer.alloc(0))
    const problem = judged.problem ?? (isReadable(pem) ? undefined : unreadable.problem)
    if (problem !== undefined) return { problem: `Certificate ${written.length + 1} of ${found.length} ${problem}.` }
    nameBytes += judged.nameBytes ?? 0
    written.push(pem)
  }
  if (nameBytes > nameBytesMax) {
    return {
      problem: `The names and name constraints of the certificates must not be longer than ${nameBytesMax} bytes.`
    }
  }
  return { pem: written.join("") }
}

const unreadable = { problem: "cannot be read", nameBytes: undefined }

interface CertificateCheck {
  readonly problem: string | undefined
  /** Bytes of alternative names and name constraints. */
  readonly nameBytes: number | undefined
}

const keyProblems = {
  encoding: unreadable.problem,
  kind: "has a public key that is not RSA, Ed25519, or of the curve P-256, P-384 or P-521 with both coordinates",
  modulus: `has an RSA key of more than ${rsaBitsMax} bits`,
  exponent: "has an RSA key with a public exponent of more than 64 bits"
}

const judge = (der: Buffer): CertificateCheck => {
  if (der.length > certificateBytesMax) {
    return { problem: `has more than ${certificateBytesMax} bytes`, nameBytes: undefined }
  }
  // A trusted certificate has its settings behind the certificate itself.
  const signed = elementsAs(tags.sequence, elementsAs(tags.sequence, elementsIn(der)?.[0])?.[0])
  if (signed === undefined) return unreadable
  // Without the version: number, algorithm, issuer, validity, subject, public key.
  const fields = signed[0]?.tag === tags.context(0) ? signed.slice(1) : signed
  const problem = publicKeyProblem(elementsAs(tags.sequence, fields[5]), rsaBitsMax)
  if (problem !== undefined) return { problem: keyProblems[problem], nameBytes: undefined }
  const extensions = fields.find(({ tag }) => tag === tags.context(3))
  if (extensions === undefined) return { problem: undefined, nameBytes: 0 }
  const listed = elementsAs(tags.sequence, elementsIn(extensions.content)?.[0])
  return listed === undefined ? unreadable : { problem: undefined, nameBytes: nameBytesOf(listed) }
}

/** Object identifiers of the extensions: alternative names of the subject, and name constraints. */
const nameExtensions: ReadonlySet<string | undefined> = new Set(["551d11", "551d1e"])

const nameBytesOf = (extensions: Elements): number => {
  let bytes = 0
  for (const extension of extensions) {
    const [id, ...rest] = elementsAs(tags.sequence, extension) ?? []
    if (nameExtensions.has(oidIn(id))) bytes += contentAs(tags.octetString, rest.at(-1))?.length ?? 0
  }
  return bytes
}

const isReadable = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/**
 * Which keys OpenSSL may read: RSA of bounded numbers, the curves P-256, P-384 and P-521 by name, and Ed25519. Decided
 * from the DER by pure functions.
 *
 * OpenSSL checks the parameters of a key while it reads it, which for DSA and DH of 8 kB takes 6 s. Of the kinds that are
 * accepted here it reads any 8 kB within 1 ms, so it may do so on the event loop.
 */
import { type Elements, bitsOf, contentAs, elementsAs, oidIn, positiveIn, sequenceIn, tags } from "./Der.ts"

type KeyProblem = "encoding" | "kind" | "modulus" | "exponent"

/** Longest public exponent of RSA, bits: a signature with one of 24,000 takes 90 ms. */
const exponentBitsMax = 64

const algorithms = { rsa: "2a864886f70d010101", ec: "2a8648ce3d0201", ed25519: "2b6570" }

const curves: ReadonlySet<string | undefined> = new Set(["2a8648ce3d030107", "2b81040022", "2b81040023"])

/** First byte of a point with both coordinates. OpenSSL needs 0.2 ms to compute the second one. */
const uncompressed = 0x04

/** Bytes of a private key of Ed25519. */
const ed25519Bytes = 32

/** Returns the fault of a private key, by the label of its PEM, or undefined. */
export const privateKeyProblem = (label: string, der: Buffer, modulusBitsMax: number): KeyProblem | undefined => {
  if (label === "RSA PRIVATE KEY") return rsaPrivateProblem(der, modulusBitsMax)
  if (label === "EC PRIVATE KEY") return ecPrivateProblem(der, undefined)
  if (label !== "PRIVATE KEY") return "kind"
  const [version, algorithm, key] = sequenceIn(der) ?? []
  const inner = contentAs(tags.octetString, key)
  const [kind, parameters] = elementsAs(tags.sequence, algorithm) ?? []
  if (contentAs(tags.integer, version) === undefined || inner === undefined) return "encoding"
  switch (oidIn(kind)) {
    case undefined:
      return "encoding"
    case algorithms.rsa:
      return rsaPrivateProblem(inner, modulusBitsMax)
    case algorithms.ec: {
      const curve = oidIn(parameters)
      return curves.has(curve) ? ecPrivateProblem(inner, curve) : "kind"
    }
    case algorithms.ed25519:
      return inner.length === ed25519Bytes + 2 && inner[0] === tags.octetString && inner[1] === ed25519Bytes
        ? undefined
        : "encoding"
    default:
      return "kind"
  }
}

/** PKCS#1 with two primes. No other number may be longer than the modulus. */
const rsaPrivateProblem = (der: Buffer, modulusBitsMax: number): KeyProblem | undefined => {
  const [version, ...parts] = sequenceIn(der) ?? []
  if (contentAs(tags.integer, version)?.every((byte) => byte === 0) !== true || parts.length !== 8) return "encoding"
  const numbers = parts.map(positiveIn)
  const problem = rsaNumbersProblem(numbers[0], numbers[1], modulusBitsMax)
  if (problem !== undefined) return problem
  return numbers.every((each) => each !== undefined && each.length <= numbers[0]!.length) ? undefined : "encoding"
}

const rsaNumbersProblem = (
  modulus: Buffer | undefined,
  exponent: Buffer | undefined,
  modulusBitsMax: number
): KeyProblem | undefined => {
  if (modulus === undefined || exponent === undefined) return "encoding"
  if (bitsOf(modulus) > modulusBitsMax) return "modulus"
  return bitsOf(exponent) > exponentBitsMax ? "exponent" : undefined
}

/** SEC 1. The curve is named within, or around it by PKCS#8; if both name one, they name the same. */
const ecPrivateProblem = (der: Buffer, curveAround: string | undefined): KeyProblem | undefined => {
  const [version, key, ...optional] = sequenceIn(der) ?? []
  if (contentAs(tags.integer, version) === undefined || contentAs(tags.octetString, key) === undefined) {
    return "encoding"
  }
  const parameters = optional.filter(({ tag }) => tag === tags.context(0))
  const named = parameters.map((each) => oidIn(elementsAs(tags.context(0), each)?.[0]))
  if (curveAround === undefined && named.length === 0) return "encoding"
  return named.every((curve) => curves.has(curve) && curve === (curveAround ?? named[0])) ? undefined : "kind"
}

/** Returns the fault of the public key of a certificate (SubjectPublicKeyInfo), or undefined. */
export const publicKeyProblem = (info: Elements | undefined, modulusBitsMax: number): KeyProblem | undefined => {
  const [kind, parameters] = elementsAs(tags.sequence, info?.[0]) ?? []
  const bits = contentAs(tags.bitString, info?.[1])
  if (bits === undefined) return "encoding"
  switch (oidIn(kind)) {
    case undefined:
      return "encoding"
    case algorithms.rsa: {
      // The first byte counts the bits that are not used.
      const [modulus, exponent] = sequenceIn(bits.subarray(1)) ?? []
      return rsaNumbersProblem(positiveIn(modulus), positiveIn(exponent), modulusBitsMax)
    }
    case algorithms.ec:
      return curves.has(oidIn(parameters)) && bits[1] === uncompressed ? undefined : "kind"
    case algorithms.ed25519:
      return undefined
    default:
      return "kind"
  }
}

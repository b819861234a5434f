/**
 * The ceremonies of WebAuthn, by @simplewebauthn/server, which is loaded at its first use. Nothing of the protocol is
 * written by hand. Answers of browsers are hostile: whatever fails in the library is an invalid answer.
 */
import { isIP } from "node:net"
import { type Dictionary, isDictionary } from "../../../inventory/Field.ts"
import { digest } from "../../../inventory/Vault.ts"

/** The site that passkeys belong to. */
export interface RelyingParty {
  /** The host name. */
  readonly id: string
  readonly origin: string
}

/** Returns the site at the public address of the service; undefined if browsers allow no passkeys there. */
export const relyingPartyAt = (base: string): RelyingParty | undefined => {
  const { hostname, origin, protocol } = new URL(base)
  const isNamed = isIP(hostname.replaceAll(/[[\]]/g, "")) === 0
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost")
  return isNamed && (protocol === "https:" || isLocal) ? { id: hostname, origin } : undefined
}

/** The answer of a browser to a request. */
export interface PasskeyAnswer {
  readonly ticket: string
  /** The credential, as `toJSON` of the browser represents it. */
  readonly response: Dictionary
  /** The cookie of the browser that the request was made for. */
  readonly cookie: string
}

/** Most characters of an answer: a passkey without attestation has some hundred. */
const answerCharsMax = 16_384

/** Returns the credential in a field of a form; an empty one if it is none. */
export const credentialIn = (text: string): Dictionary => {
  if (text.length > answerCharsMax) return {}
  try {
    const read: unknown = JSON.parse(text)
    return isDictionary(read) ? read : {}
  } catch {
    return {}
  }
}

const loaded = () => import("@simplewebauthn/server")

/** Time that the browser gives its user. */
const timeoutMillis = 120_000

/** Algorithms of keys, by their numbers of COSE: EdDSA, ES256 and RS256. The library's own list tries experimental ones. */
const algorithms = [-8, -7, -257]

export const registrationOptions = async (
  { id }: RelyingParty,
  user: { readonly id: number; readonly name: string },
  known: ReadonlyArray<string>
) =>
  (await loaded()).generateRegistrationOptions({
    ...{ rpName: "Rackwire", rpID: id, timeout: timeoutMillis, userName: user.name, userDisplayName: user.name },
    // The device keeps one passkey for each of these ids.
    userID: new Uint8Array(Buffer.from(digest(`passkey of user ${user.id}`), "hex")),
    supportedAlgorithmIDs: algorithms,
    attestationType: "none",
    excludeCredentials: known.map((credential) => ({ id: credential })),
    authenticatorSelection: { residentKey: "required", userVerification: "preferred" }
  })

/** Without allowed credentials any passkey that the device keeps for the site may answer, and must verify its user. */
export const assertionOptions = async ({ id }: RelyingParty, allowed: ReadonlyArray<string> | undefined) =>
  (await loaded()).generateAuthenticationOptions({
    ...{ rpID: id, timeout: timeoutMillis },
    userVerification: allowed === undefined ? "required" : "preferred",
    ...(allowed !== undefined && { allowCredentials: allowed.map((credential) => ({ id: credential })) })
  })

interface Credential {
  readonly credential: string
  /** In base64url. */
  readonly publicKey: string
  readonly counter: number
}

/** Returns the new credential of a valid answer; undefined for any other. */
export const newCredential = async (
  { id, origin }: RelyingParty,
  challenge: string,
  response: Dictionary
): Promise<Credential | undefined> => {
  const { verifyRegistrationResponse } = await loaded()
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers")
  try {
    const parts = response["response"] as { readonly attestationObject: string }
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(parts.attestationObject, "base64url")))
    // None was requested; others have certificates, whose check may send requests.
    if (attestation.get("fmt") !== "none") return undefined
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as unknown as Parameters<typeof verifyRegistrationResponse>[0]["response"],
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      supportedAlgorithmIDs: algorithms,
      requireUserVerification: false
    })
    if (registrationInfo === undefined) return undefined
    const { credential } = registrationInfo
    const publicKey = Buffer.from(credential.publicKey).toString("base64url")
    return { credential: credential.id, publicKey, counter: credential.counter }
  } catch {
    return undefined
  }
}

/** Returns the counter of a valid answer by this credential; undefined for any other. */
export const newCounter = async (
  { id, origin }: RelyingParty,
  challenge: string,
  response: Dictionary,
  { credential, publicKey, counter }: Credential,
  mustVerifyUser: boolean
): Promise<number | undefined> => {
  const { verifyAuthenticationResponse } = await loaded()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as unknown as Parameters<typeof verifyAuthenticationResponse>[0]["response"],
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      credential: { id: credential, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter },
      requireUserVerification: mustVerifyUser
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}

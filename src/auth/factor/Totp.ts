/**
 * Codes of authenticator apps (TOTP, RFC 6238), computed by otpauth: six digits, SHA-1, a step of 30 seconds, which every
 * app supports. The library is loaded at its first use.
 */

const period = 30
const digits = 6

/** Steps by which the clock of the app may differ, each way. */
const driftSteps = 1

/** Bytes of a secret: the length that RFC 4226 recommends. */
const secretBytes = 20

/** Most characters of a user name in the address for apps: a longer address makes a larger picture. */
const labelCharsMax = 64

const loaded = () => import("otpauth")

/** Returns a new secret in base32. */
export const newSecret = async (): Promise<string> => new (await loaded()).Secret({ size: secretBytes }).base32

/** Returns the step that the code belongs to, within the drift; undefined for a wrong code. */
export const stepOfCode = async (secret: string, code: string, nowMillis: number): Promise<number | undefined> => {
  if (!/^\d{6}$/.test(code)) return undefined
  const { Secret, TOTP } = await loaded()
  const options = { secret: Secret.fromBase32(secret), token: code, digits, period }
  const delta = TOTP.validate({ ...options, timestamp: nowMillis, window: driftSteps })
  return delta === null ? undefined : Math.floor(nowMillis / 1000 / period) + delta
}

/** Returns the address that adds the secret to an app, as a picture or a link. */
export const addressForApps = async (secret: string, username: string, host: string): Promise<string> => {
  const { Secret, TOTP } = await loaded()
  const label = [...username].slice(0, labelCharsMax).join("")
  // Apps separate the issuer from the label by a colon.
  const issuer = `Rackwire ${host.replaceAll(/[^\w.-]/g, "")}`.trim()
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret), digits, period }).toString()
}

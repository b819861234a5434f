/** The claims of a provider about a user, as far as an account is made of them. Pure. */
import type { Account } from "../directory/Account.ts"
import { nameFault, plainName } from "../directory/PlainName.ts"

export interface Profile extends Account {
  /** The session at the provider, for its logout; undefined where the provider names none. */
  readonly session: string | undefined
}

export type Claims = Readonly<Record<string, unknown>>

/** A subject as OpenID Connect defines it, and other identifiers. */
const identifier = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** How far ahead of ours the clock of a provider may be, seconds. */
const aheadSecondsMax = 300

/** Scripts with letters that resemble each other. */
const alike = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

/** The profile, or the reason why no account can be made of the claims, as a part of a sentence. */
export const profileOf = (claims: Claims, groupsClaim: string | undefined, nowSeconds: number): Profile | string => {
  const { iss: issuer, sub: subject } = claims
  if (typeof issuer !== "string" || typeof subject !== "string" || !identifier.test(subject))
    return "its subject must have 1 to 255 printable ASCII characters"
  if (Number(claims["iat"] ?? 0) > nowSeconds + aheadSecondsMax) return "it was issued in the future"
  const name = plainName([claims["preferred_username"], claims["email"], subject].find(isFilled)!)
  const fault = nameFault(name)
  if (fault !== undefined) return `its user name ${fault}`
  if (alike.filter((script) => script.test(name)).length > 1)
    return "its user name mixes Latin, Cyrillic or Greek letters, which resemble each other"
  const groups = groupsClaim === undefined ? undefined : groupsIn(claims, groupsClaim)
  if (typeof groups === "string") return groups
  const email = textIn(claims, "email")
  const session = claims["sid"]
  return {
    ...{ issuer, subject, name, groups },
    email: /^[^\s@]+@[^\s@]+$/.test(email) ? email : "",
    isEmailVerified: claims["email_verified"] === true,
    firstName: textIn(claims, "given_name"),
    lastName: textIn(claims, "family_name"),
    session: typeof session === "string" && identifier.test(session) ? session : undefined
  }
}

const isFilled = (value: unknown): value is string => typeof value === "string" && value !== ""

/** A claim that is a name; "" for any other value. */
const textIn = (claims: Claims, claim: string): string => {
  const value = claims[claim]
  return typeof value === "string" && nameFault(plainName(value)) === undefined ? plainName(value) : ""
}

/** The groups in a claim, none where it is absent; or the reason why they cannot be read. */
const groupsIn = (claims: Claims, claim: string): ReadonlyArray<string> | string => {
  const { [claim]: value, _claim_names: elsewhere } = claims
  // Entra ID leaves out the groups of a user with more than 200.
  if (value === undefined && typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, claim))
    return `it has too many groups for its token (${claim})`
  const names = value === undefined ? [] : typeof value === "string" ? [value] : value
  return Array.isArray(names) && names.every((name) => typeof name === "string")
    ? names
    : `its groups (${claim}) must be a list of names`
}

/** The entry of a user in a directory, as far as an account is made of it. Pure. */
import type { Account } from "../directory/Account.ts"
import { nameFault, plainName } from "../directory/PlainName.ts"

/** An attribute has no, one or many values. */
export type Entry = Readonly<Record<string, Buffer | string | ReadonlyArray<Buffer | string>>>

/** Attributes that identify an entry for good, whatever its name: of OpenLDAP, 389 Directory Server, FreeIPA. */
const identifiers = ["entryUUID", "nsUniqueId", "ipaUniqueID"] as const

/** The identifier of Active Directory, 16 bytes. */
export const binaryIdentifier = "objectGUID"

/** Attributes of a disabled account: of Active Directory, OpenLDAP's password policy, 389 Directory Server. */
const states = ["userAccountControl", "pwdAccountLockedTime", "nsAccountLock"] as const

/** The bit of userAccountControl for a disabled account. */
const disabledBit = 2

/** The value of pwdAccountLockedTime for an account that an administrator locked, for good. */
const lockedForGood = "000001010000Z"

/** The attributes that are read of a user. */
export const userAttributes = (nameAttribute: string): ReadonlyArray<string> => [
  ...new Set([nameAttribute, "mail", "givenName", "sn", binaryIdentifier, ...identifiers, ...states])
]

/** The issuer of all accounts of the directory: its servers may change, its identifiers do not. */
export const ldapIssuer = "ldap"

/** The account of an entry, without its groups; or the reason why none can be made of it, as a part of a sentence. */
export const accountIn = (entry: Entry, nameAttribute: string): Account | string => {
  const subject = subjectIn(entry)
  if (subject === undefined) {
    return `its entry shows none of the attributes ${[...identifiers, binaryIdentifier].join(", ")}`
  }
  const [given] = textsIn(entry, nameAttribute)
  if (given === undefined) return `its entry has no ${nameAttribute}`
  const name = plainName(given)
  const fault = nameFault(name)
  if (fault !== undefined) return `its user name ${fault}`
  const [email = ""] = textsIn(entry, "mail")
  const person = (attribute: string): string => {
    const text = plainName(textsIn(entry, attribute)[0] ?? "")
    return nameFault(text) === undefined ? text : ""
  }
  return {
    ...{ issuer: ldapIssuer, subject, name },
    email: /^[^\s@]+@[^\s@]+$/.test(email) ? email : "",
    isEmailVerified: false,
    firstName: person("givenName"),
    lastName: person("sn"),
    groups: undefined
  }
}

/** Whether the directory has disabled the account. */
export const isDisabled = (entry: Entry): boolean =>
  (Number(textsIn(entry, "userAccountControl")[0] ?? 0) & disabledBit) !== 0 ||
  textsIn(entry, "nsAccountLock")[0]?.toLowerCase() === "true" ||
  textsIn(entry, "pwdAccountLockedTime")[0] === lockedForGood

/** The identifier of an entry, in hexadecimal where it is binary. */
export const subjectIn = (entry: Entry): string | undefined => {
  const [text] = identifiers.flatMap((attribute) => textsIn(entry, attribute))
  if (text !== undefined) return /^[\x21-\x7e]{1,255}$/.test(text) ? text : undefined
  const [bytes] = valuesIn(entry, binaryIdentifier)
  return Buffer.isBuffer(bytes) && bytes.length === 16 ? bytes.toString("hex") : undefined
}

/** Attributes with their values, of which the entry of this identifier has one. */
export const subjectValues = (
  subject: string
): ReadonlyArray<{ readonly attribute: string; readonly value: Buffer | string }> => {
  const texts = identifiers.map((attribute) => ({ attribute, value: subject }))
  const binary = { attribute: binaryIdentifier, value: Buffer.from(subject, "hex") }
  return /^[0-9a-f]{32}$/.test(subject) ? [...texts, binary] : texts
}

/** The texts of an attribute; servers write its name in a case of their own. */
export const textsIn = (entry: Entry, attribute: string): ReadonlyArray<string> =>
  valuesIn(entry, attribute)
    .map((value) => value.toString())
    .filter((value) => value !== "")

const valuesIn = (entry: Entry, attribute: string): ReadonlyArray<Buffer | string> => {
  const key = Object.keys(entry).find((each) => each.toLowerCase() === attribute.toLowerCase())
  const value = key === undefined ? [] : entry[key]!
  return typeof value === "string" || Buffer.isBuffer(value) ? [value] : value
}

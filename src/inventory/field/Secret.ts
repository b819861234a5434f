import { isCommonPassword, tooCommon } from "./CommonPasswords.ts"
import { digestToken, generateToken, hashPassword, passwordLength } from "../Vault.ts"
import { type Field, type Options, invalid, makeField, value } from "../Field.ts"
import { literal } from "../../postgres/Literal.ts"
import { headerSecrets } from "./hidden/HeaderSecrets.ts"
import type { Hiding } from "./hidden/Hiding.ts"
import { userInformation } from "./hidden/UserInformation.ts"
import { text } from "./Text.ts"

/** A password: stored as an argon2id hash, never shown. */
export const password = (): Field<string> =>
  makeField(
    {
      type: "text",
      wire: "write",
      isFiltered: false,
      parse: (input) => {
        if (typeof input !== "string") return invalid("Not a valid string.")
        if (input === "") return invalid("This field may not be blank.")
        const length = [...input].length
        if (length < passwordLength.min)
          return invalid(`Ensure this field has at least ${passwordLength.min} characters.`)
        if (length > passwordLength.max)
          return invalid(`Ensure this field has no more than ${passwordLength.max} characters.`)
        return isCommonPassword(input) ? invalid(tooCommon) : value(input)
      },
      store: hashPassword
    },
    { grammar: "password" }
  )

/** Secrets that are sent somewhere (write/Repointed.ts). */
type SecretTarget = Pick<Field, "sentTo">

/** A text that the service must be able to read again: sealed in the database, never shown. "" means none. */
export const sealed = (options: Options & SecretTarget & { readonly max: number }): Field<string> =>
  makeField(
    {
      type: "text",
      maxLength: options.max,
      wire: "write",
      isFiltered: false,
      initial: () => "",
      sqlDefault: literal(""),
      parse: (input) => {
        if (typeof input !== "string") return invalid("Not a valid string.")
        if ([...input].length > options.max)
          return invalid(`Ensure this field has no more than ${options.max} characters.`)
        return value(input)
      },
      sealed: true,
      sentTo: options.sentTo,
      store: (plain, vault) => (plain === "" ? "" : vault.seal(plain))
    },
    options
  )

/** Hidden.ts brings a text and its secrets together when it is written. */
const hiding = (field: Field<string>, hiding: Hiding, keptIn: string): Field<string> => {
  const shownOf = (text: unknown): string => hiding.hide(String(text)).shown
  // A secret that plain SQL wrote in the clear is hidden in every row that is read, also from the WAL.
  return { ...field, hides: { ...hiding, keptIn }, fromJson: shownOf, fromText: shownOf }
}

/** Header text whose credentials are kept in another field, sealed, and shown as `***`. */
export const headers = (options: Options & SecretTarget & { readonly secretsIn: string }): Field<string> => ({
  ...hiding(text({ ...options, optional: true, verbatim: true }), headerSecrets, options.secretsIn),
  sentTo: options.sentTo,
  // A filter or constraint would reveal what plain SQL has left in the column.
  isFiltered: false
})

/** The address of a receiver, or a template of one. Its user information is kept in another field, sealed. */
export const receiverAddress = (
  options: Options & SecretTarget & { readonly max: number; readonly secretsIn: string }
): Field<string> => ({ ...hiding(text(options), userInformation, options.secretsIn), sentTo: options.sentTo })

/** Holds the hidden part of another field: sealed, and never on the wire. */
export const kept = (): Field<string> => ({
  ...sealed({ max: 0 }),
  maxLength: undefined,
  wire: "none",
  store: undefined
})

const keyLength = 40

/**
 * The key of a token: generated unless chosen, blank is not chosen; stored as a digest, shown once, or as long as the
 * copy in the other field can be opened.
 */
export const tokenKey = (options: { readonly copiedTo: string }): Field<string> =>
  makeField(
    {
      type: "text",
      wire: "once",
      isFiltered: false,
      initial: generateToken,
      parse: (input) => {
        if (typeof input !== "string") return invalid("Not a valid string.")
        if (input === "") return value(undefined)
        if (input.length < keyLength) return invalid(`Ensure this field has at least ${keyLength} characters.`)
        if (input.length > keyLength) return invalid(`Ensure this field has no more than ${keyLength} characters.`)
        if (!/^[0-9a-f]{40}$/.test(input)) return invalid("Use 40 hexadecimal digits, in lower case.")
        return value(input)
      },
      store: digestToken,
      copiedTo: options.copiedTo
    },
    { unique: true }
  )

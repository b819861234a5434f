/** Names of users and groups from outside: which are accepted, and the form in which they are compared. Pure. */
import { isStorable } from "../../inventory/Field.ts"

/** Most characters of a name, as of user names and groups here. */
export const nameCharsMax = 150

/** Control, format and filling characters, and white space that is drawn as a space: such names seem equal to others. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}]|(?! )\s/u

/** The name in Unicode's form NFC and without spaces at both ends. Capital letters stay: names are compared exactly. */
export const plainName = (text: string): string => text.trim().normalize("NFC")

/** Returns the fault of a plain name as the end of a sentence; undefined for an accepted one. */
export const nameFault = (name: string): string | undefined => {
  if (name === "") return "is empty"
  if ([...name].length > nameCharsMax) return `has more than ${nameCharsMax} characters`
  if (!isStorable(name)) return "has characters that cannot be stored"
  return invisible.test(name) ? "has invisible characters" : undefined
}

/** The form in which two names that differ only in their capital letters are equal. */
export const folded = (name: string): string => name.toLowerCase().normalize("NFC")

/** Words that others guess first in a password, because of the place where it is used. */
import { isCommonPassword, tooCommon } from "../../inventory/field/CommonPasswords.ts"
import { passwordLength } from "../../inventory/Vault.ts"

const productWords = ["rackwire", "netbox"]

/** Least length of a word, characters: a shorter one is part of many passwords by chance. */
const wordLengthMin = 3

/** The names of a user that others see. */
export const namesOf = (row: Readonly<Record<string, unknown>>): ReadonlyArray<string> => [
  ...["username", "first_name", "last_name"].map((name) => String(row[name] ?? "")),
  String(row["email"] ?? "").replace(/@.*/s, "")
]

/**
 * Explains why a password is refused that has too few characters beside these words and the names of the product;
 * undefined where it has enough. Ignores case.
 */
export const contextProblem = (password: string, words: ReadonlyArray<string>): string | undefined => {
  const guessed = [...productWords, ...words]
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word.length >= wordLengthMin)
    // A word may be part of a longer one.
    .toSorted((one, other) => other.length - one.length)
  const lower = password.toLowerCase()
  const rest = guessed.reduce((left, word) => left.replaceAll(word, ""), lower)
  if (rest === lower || [...rest].length >= passwordLength.min) return undefined
  const found = guessed.find((word) => lower.includes(word))
  return `Use at least ${passwordLength.min} characters beside "${found}", which others guess first.`
}

/** Explains why a password is refused that others guess: it is a common one, or made of these words. */
export const guessableProblem = (password: string, words: ReadonlyArray<string>): string | undefined =>
  isCommonPassword(password) ? tooCommon : contextProblem(password, words)

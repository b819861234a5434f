/**
 * New names by find and replace: of a plain text, or of a pattern in Python's syntax, as in conditions of webhooks. Pure.
 *
 * In a replacement of a pattern `\1` and `\g<name>` are groups of the match, and `\\` for a backslash.
 */
import { patternOf } from "../../pattern/Pattern.ts"
import { PatternError } from "../../pattern/PatternError.ts"

export interface Renaming {
  readonly find: string
  readonly replace: string
  readonly isPattern: boolean
}

/** Longest text to find, replacement and new name, characters. */
export const textCharsMax = 1000

/** Most work for the names of one request, instructions x characters: about two seconds, in slices. */
const effortMax = 80_000_000

/** Finds the new name of each name. Throws a PatternError if the pattern is wrong, or takes too long. */
export const renamer = ({ find, replace, isPattern }: Renaming): ((name: string) => string) => {
  if (!isPattern) return (name) => bounded(name.split(find).join(replace))
  const pattern = patternOf(find)
  const parts = replacementIn(replace)
  const budget = { left: effortMax }
  return (name) =>
    bounded(
      pattern.replaced(
        name,
        (group) => parts.map((part) => ("text" in part ? part.text : group(part.group))).join(""),
        budget
      )
    )
}

const bounded = (name: string): string => {
  if (name.length <= textCharsMax) return name
  throw new PatternError(`a new name would have more than ${textCharsMax} characters`)
}

type Part = { readonly text: string } | { readonly group: string }

const replacementIn = (text: string): ReadonlyArray<Part> =>
  [...text.matchAll(/\\(?:(\d{1,2})|g<(\w{1,100})>|(\\))|[^\\]+|\\/g)].map(([whole, number, name, slash]) =>
    (number ?? name) === undefined ? { text: slash ?? whole } : { group: (number ?? name)! }
  )

/** Names of constraints and indexes within the length that Postgres keeps. */
import { createHash } from "node:crypto"

/** Longest name that Postgres keeps whole, in letters of ASCII. */
const nameLengthMax = 63

/** Joins words and a kind to a name; a name that is too long ends in a digest of the whole. */
export const storedName = (words: ReadonlyArray<string>, kind: string): string => {
  const name = [...words, kind].join("_")
  if (name.length <= nameLengthMax) return name
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 8)
  return `${name.slice(0, nameLengthMax - digest.length - kind.length - 2)}_${digest}_${kind}`
}

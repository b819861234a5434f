/** Names of what a table has, as Postgres keeps them. */
import { createHash } from "node:crypto"

/** Longest name that Postgres keeps whole, in letters of ASCII. */
const nameLengthMax = 63

/** The name of something of a kind, made of words; what is too long ends in a digest of the whole. */
export const storedName = (words: ReadonlyArray<string>, kind: string): string => {
  const name = [...words, kind].join("_")
  if (name.length <= nameLengthMax) return name
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 8)
  return `${name.slice(0, nameLengthMax - digest.length - kind.length - 2)}_${digest}_${kind}`
}

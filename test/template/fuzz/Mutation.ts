import type { Random } from "./Random.ts"

const pieces = [
  "",
  "{%",
  "}}",
  "{{",
  "%}",
  "(",
  ")",
  "'",
  "|",
  ".",
  " if ",
  " is ",
  "end",
  "=",
  ",",
  ":",
  "!",
  "&",
  "[",
  "{#",
  "#}",
  "not ",
  "**",
  "~"
]

/** Breaks a template somewhere, so that its message is compared. */
export const mutate = (random: Random, source: string): string => {
  const at = random.below(source.length + 1)
  const junk = random.pick(pieces)
  return source.slice(0, at) + junk + source.slice(at + (random.chance(0.5) ? random.below(3) : 0))
}

/** Upper and lower case as in Python's str. */

const cased = /^\p{Cased}$/u

/** `text.title()`: the first letter of each run of letters is upper case, the others are lower case. */
export const titleCase = (text: string): string => {
  let all = ""
  let afterCased = false
  for (const character of text) {
    all += afterCased ? character.toLowerCase() : titleOf(character)
    afterCased = cased.test(character)
  }
  return all
}

/** Title case of a character: `ǆ` has a special form, and `ß` becomes `Ss`. */
const titleOf = (character: string): string => {
  const digraph = digraphs[character]
  if (digraph !== undefined) return digraph
  const upper = character.toUpperCase()
  const [first = "", ...rest] = upper
  return rest.length === 0 ? upper : first + rest.join("").toLowerCase()
}

const digraphs: Readonly<Record<string, string>> = Object.assign(
  Object.create(null) as Record<string, string>,
  Object.fromEntries(
    [..."ǅǈǋǲ"].flatMap((title) => [title.toUpperCase(), title, title.toLowerCase()].map((form) => [form, title]))
  )
)

/** `text.capitalize()` */
export const capitalize = (text: string): string => {
  const first = text.codePointAt(0)
  if (first === undefined) return ""
  const head = String.fromCodePoint(first)
  // Lower-cased as a whole, because a sigma at the end of a word has a special form.
  return titleOf(head) + `x${text.slice(head.length)}`.toLowerCase().slice(1)
}

/** `text.swapcase()` */
export const swapCase = (text: string): string => {
  let all = ""
  for (const character of text) {
    all += /^\p{Uppercase}$/u.test(character)
      ? character.toLowerCase()
      : /^\p{Lowercase}$/u.test(character)
        ? character.toUpperCase()
        : character
  }
  return all
}

/** `text.casefold()` */
export const foldCase = (text: string): string =>
  text.toLowerCase().replace(/[^\0-\x7f]/gu, (character) => {
    if (character === "ς") return "σ"
    const upper = character.toUpperCase()
    return upper.length > character.length ? upper.toLowerCase() : character
  })

/** `text.isupper()` */
export const isUpper = (text: string): boolean => /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)

/** `text.islower()` */
export const isLower = (text: string): boolean => /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)

/** `text.istitle()` */
export const isTitle = (text: string): boolean => {
  let found = false
  let afterCased = false
  for (const character of text) {
    const starts = /^[\p{Uppercase}\p{Lt}]$/u.test(character)
    const follows = /^\p{Lowercase}$/u.test(character)
    if ((starts && afterCased) || (follows && !afterCased)) return false
    afterCased = starts || follows
    found ||= afterCased
  }
  return found
}

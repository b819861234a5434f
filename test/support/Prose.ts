/** Sentences in files: comments, messages and documents, and the pictures in them that docs/design/language.md names. */

/** A regular expression is skipped because of the quotes in it. */
const token =
  /(?<comment>\/\*[^]*?\*\/|\/\/[^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<=(?:[(,=:[!&|?{};>]|return)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|(?<mark>[`{}])/g

/** The text of a template up to its end or to an expression. */
const chunk = /(?:[^`\\$]|\\[^]|\$(?!\{))*/y

/** The comments of a program, and those of its texts that have a space. Pure. */
export const proseOfCode = (code: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  /** Braces open in each expression of a template; the first number is of the program itself. */
  const depths = [0]
  const readChunk = (from: number) => {
    chunk.lastIndex = from
    const [text] = chunk.exec(code)!
    if (text.includes(" ")) found.push(text)
    const end = from + text.length
    if (code[end] === "$") depths.push(0)
    token.lastIndex = code[end] === "$" ? end + 2 : end + 1
  }
  token.lastIndex = 0
  for (let match = token.exec(code); match !== null; match = token.exec(code)) {
    const { comment, string, mark } = match.groups!
    const text = comment ?? string
    if (text?.includes(" ")) found.push(text)
    if (mark === "`") readChunk(token.lastIndex)
    if (mark === "{") depths[depths.length - 1]!++
    if (mark === "}") {
      if (depths.at(-1)! > 0) depths[depths.length - 1]!--
      else if (depths.length > 1) {
        depths.pop()
        readChunk(token.lastIndex)
      }
    }
  }
  return found
}

/** A document without its code. Pure. */
export const proseOfDocument = (text: string): ReadonlyArray<string> => [
  text.replaceAll(/^ *```[^]*?^ *```/gm, "").replaceAll(/`[^`\n]*`/g, "")
]

/**
 * Everyday verbs in place of the field's word, and relatives without a noun. `look up`, `look-ahead` and `known` are
 * words of the field.
 */
const picture =
  /\b(?:tell(?:s|ing)?|told|ask(?:s|ed|ing)?|look(?:s|ed|ing)?(?![ -]?(?:up|ahead|around|behind)\b)|st(?:and(?:s|ing)?|ood)|h(?:old(?:s|ing)?|eld)|know(?:s|ing)?|knew|com(?:e|es|ing)|came|go(?:es|ing|ne)?|went|mend(?:s|ed|ing)?|who(?:m)?ever|that which|those who)\b/gi

/** The pictures of a file, in order. Pure. */
export const picturesIn = (file: string, text: string): ReadonlyArray<string> =>
  (file.endsWith(".md") ? proseOfDocument(text) : proseOfCode(text)).flatMap((each) => each.match(picture) ?? [])

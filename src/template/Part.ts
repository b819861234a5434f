/** The part of a request that a template gives: its source and its length. Pure. */

/** `text`: the body, or no part of a request; only the output limit of templates bounds it.
 * `nothing`: the template is checked, and not run. */
export type Part = "text" | "headers" | "address" | "label" | "nothing"

/**
 * A template's source, and the part that it gives where that is no text. In `headers` the output is header lines: what
 * such a template prints must have no line break, so that only its own text begins a header, and never a value in it. A
 * `label` is the text of a button. A source that is `checked` is compiled and not run.
 */
export type Source =
  | string
  | { readonly headers: string }
  | { readonly address: string }
  | { readonly label: string }
  | { readonly checked: string }

/** The text of a source, and the part that it gives. */
export const sourceOf = (given: Source): readonly [source: string, part: Part] => {
  if (typeof given === "string") return [given, "text"]
  if ("checked" in given) return [given.checked, "nothing"]
  if ("label" in given) return [given.label, "label"]
  return "headers" in given ? [given.headers, "headers"] : [given.address, "address"]
}

/**
 * Most characters of a part. The data that a template prints is hostile, and its output is processed on the event
 * loop: a longer one does not leave the worker. Servers should take addresses of 8,000 bytes (RFC 9110, section 4.1).
 */
const partChars = { headers: 65_536, address: 8_192, label: 1_000 } as const

/** Most characters of the value of one header: nginx and Apache take as many by default. */
export const headerChars = 8_192

/** The fault of a part of this length, or undefined. */
export const lengthProblem = (part: keyof typeof partChars, length: number): string | undefined =>
  length <= partChars[part]
    ? undefined
    : `The ${part} would have ${inDigits(length)} characters, and ${inDigits(partChars[part])} are the most.`

const inDigits = (count: number): string => count.toLocaleString("en")

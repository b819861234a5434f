/** The texts of a webhook's requests, its address and its headers: whether one is a template, and its faults. Pure. */
import { lineBreak } from "../inventory/field/Text.ts"
import { splitHeaders } from "../template/Headers.ts"
import { lengthProblem } from "../template/Part.ts"

/** Whether a URL or header text is a template. A body always is one: templates lose their last line break. */
export const isTemplate = (text: string): boolean => /\{[{%#]/.test(text)

/** Headers that belong to the connection; a webhook that sets one would break the request. */
const reserved = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Returns the fault of a literal address, or undefined. */
export const addressProblem = (url: string): string | undefined => {
  const tooLong = lengthProblem("address", url.length)
  if (tooLong !== undefined) return tooLong
  if (lineBreak.test(url.trim())) return "The address has a line break or a tab in it."
  const sound = /^\s*https?:\/\/[^/]/i.test(url) && URL.canParse(url)
  return sound ? undefined : "Enter a valid URL, beginning with http:// or https://."
}

export type OwnHeaders = ReadonlyArray<readonly [name: string, value: string]>

/** The headers of a webhook's text, which is rendered or literal, or its fault. */
export const ownHeaders = (text: string): { readonly headers: OwnHeaders } | { readonly error: string } => {
  if (text === "") return { headers: [] }
  const split = splitHeaders(text)
  if ("error" in split) return split
  const name = split.headers.map(([name]) => name).find((name) => reserved.has(name.toLowerCase()))
  return name === undefined ? split : { error: `${name} cannot be set.` }
}

/** Returns the fault of literal header text, or undefined. */
export const headersProblem = (text: string): string | undefined => {
  const own = ownHeaders(text)
  return "error" in own ? own.error : undefined
}

/** Returns the fault of the literal parts of a template for headers, or undefined. */
export const literalHeadersProblem = (template: string): string | undefined => {
  for (const [from, to] of literalParts(template)) {
    const at = template.slice(from, to).search(/[^\0-\xff]/)
    if (at < 0) continue
    const line = template.slice(0, from + at).split("\n").length
    return `Line ${line} has a character in its value that HTTP cannot carry.`
  }
  return undefined
}

/** The parts of the template that are sent unchanged, as places. */
function* literalParts(template: string): Generator<readonly [from: number, to: number]> {
  let from = 0
  const missing = new Set<string>()
  for (let at = template.indexOf("{"); at >= 0; at = template.indexOf("{", at + 1)) {
    const end = endOfTag(template, at, missing)
    if (end === undefined) continue
    yield [from, at]
    from = end
    at = end - 1
  }
  yield [from, template.length]
}

const closings: Readonly<Record<string, string>> = { "{": "}}", "#": "#}", "%": "%}" }

/** The end of the tag or comment that begins here, if one does. `missing`: ends that do not follow any more. */
const endOfTag = (template: string, at: number, missing: Set<string>): number | undefined => {
  const closing = closings[template[at + 1] ?? ""]
  const comment = /\{%-?\s*comment/y
  comment.lastIndex = at
  if (!missing.has("endcomment") && comment.test(template)) {
    const end = /endcomment\s*-?%\}/g
    end.lastIndex = comment.lastIndex
    if (end.test(template)) return end.lastIndex
    missing.add("endcomment")
  }
  if (closing === undefined || missing.has(closing)) return undefined
  const found = template.indexOf(closing, at + 2)
  if (found < 0) missing.add(closing)
  return found < 0 ? undefined : found + closing.length
}

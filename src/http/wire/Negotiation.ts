/** Content negotiation: the media types that a client accepts against those that an endpoint offers. Pure. */
import { HttpRefused } from "../HttpRefused.ts"

interface Range {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

const rangesOf = (accept: string): ReadonlyArray<Range> =>
  accept.split(",").flatMap((part) => {
    const [type = "", ...rest] = part.split(";").map((word) => word.trim())
    const parameters = new Map(
      rest.map((word) => {
        const [name = "", value = ""] = word.split("=")
        return [name.trim(), value.trim()]
      })
    )
    return type === "" || Number(parameters.get("q") ?? 1) === 0 ? [] : [{ type: type.toLowerCase(), parameters }]
  })

/** The names that a header such as `Accept-Encoding` accepts: not those of quality 0. */
export const namesIn = (header: string): ReadonlyArray<string> => rangesOf(header).map(({ type }) => type)

const covers = (range: string, type: string): boolean =>
  range === "*/*" || range === type || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)))

/** How much a range is wanted, from 0 to 1. */
const qualityOf = ({ parameters }: Range): number => Number(parameters.get("q") ?? 1)

/**
 * Whether a client prefers HTML to JSON: it accepts HTML by name, as browsers do, and not for JSON by name just as
 * much.
 */
export const prefersHtml = (accept: string): boolean => {
  const ranges = rangesOf(accept)
  const best = (...types: ReadonlyArray<string>) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(qualityOf))
  const html = best("text/html")
  return html > best("application/json", "application/*") && html >= best("*/*")
}

/** Most spaces by which JSON is indented. */
const indentMax = 8

/**
 * The media type to answer with and the indentation of JSON; or a 406. A browser, which accepts HTML, gets the first
 * type.
 */
export const negotiate = (
  accept: string | undefined,
  offered: ReadonlyArray<string>,
  version: string
): { readonly type: string; readonly indent: number } | HttpRefused => {
  const [first = "application/json"] = offered
  const usual = { type: first, indent: 0 }
  if (accept === undefined || accept === "*/*" || accept === usual.type) return usual
  const ranges = rangesOf(accept)
  for (const { type, parameters } of ranges) {
    const found = offered.find((each) => covers(type, each)) ?? (type === "text/html" ? first : undefined)
    if (found === undefined) continue
    const asked = parameters.get("version")
    if (asked !== undefined && asked !== version) {
      return new HttpRefused({ reason: "NotAcceptable", body: { detail: 'Invalid version in "Accept" header.' } })
    }
    const indent = Number(parameters.get("indent"))
    return { type: found, indent: Number.isInteger(indent) ? Math.min(Math.max(indent, 0), indentMax) : 0 }
  }
  if (ranges.length === 0) return usual
  const detail = "Could not satisfy the request Accept header."
  return new HttpRefused({ reason: "NotAcceptable", body: { detail } })
}

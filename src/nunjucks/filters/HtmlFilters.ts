/** Filters that make or remove HTML, and addresses. Output is not escaped by itself. */
import { valueFault } from "../../jinja/runtime/Fault.ts"
import { type Run, type Native, SafeText, type Value } from "../value/Values.ts"
import { keysOf } from "../value/Lookup.ts"
import { numberOf, text } from "../value/Operators.ts"
import { likeInput, listOf, objectOf, orEmpty, propertyOf, textOf } from "./Inputs.ts"

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ["\\", "&#92;"]
])

/** The text of any value, without one for undefined and null. */
const shown = (run: Run, value: Value): string => text(run, value ?? "")

const escaped = (run: Run, value: Value): SafeText => {
  const source = shown(run, value)
  run.alloc(source.length * 6)
  return new SafeText(source.replace(/[&"'<>\\]/g, (char) => entities.get(char)!))
}

const safe: Native = (run, input) => (input instanceof SafeText ? input : new SafeText(shown(run, input)))

const nl2br: Native = (run, input) => {
  if (input === undefined || input === null) return ""
  const source = textOf(run, input)
  run.alloc(source.length * 7)
  return likeInput(run, input, source.replace(/\r\n|\n/g, "<br />\n"))
}

/** Without tags and comments. Searches each kind of end only as long as there is one, so in linear time. */
const withoutTags = (run: Run, source: string): string => {
  const name = /<\/?[a-z][a-z0-9]*\b/iy
  let result = ""
  let from = 0
  let hasEnd = true
  let hasCommentEnd = true
  for (let at = source.indexOf("<"); at >= 0; at = source.indexOf("<", Math.max(at + 1, from))) {
    run.tick(1)
    let end = -1
    if (hasCommentEnd && source.startsWith("<!--", at)) {
      const found = source.indexOf("-->", at + 4)
      hasCommentEnd = found >= 0
      end = found < 0 ? -1 : found + 3
    } else if (hasEnd) {
      name.lastIndex = at
      if (name.test(source)) {
        const found = source.indexOf(">", name.lastIndex)
        hasEnd = found >= 0
        end = found + 1 || -1
      }
    }
    if (end < 0) continue
    result += source.slice(from, at)
    from = end
  }
  return result + source.slice(from)
}

/** A line without spaces at its ends. */
const spaceless = (line: string): string => {
  let from = 0
  let to = line.length
  while (line[from] === " ") from++
  while (to > from && line[to - 1] === " ") to--
  return line.slice(from, to)
}

const striptags: Native = (run, input, keepLines) => {
  const value = orEmpty(input)
  const source = textOf(run, value)
  run.alloc(source.length * 2)
  const plain = withoutTags(run, source).trim()
  if (!keepLines) return likeInput(run, value, plain.replace(/\s+/g, " "))
  const lines = plain.split(/([\n\r\u2028\u2029])/).map(spaceless)
  const joined = lines.join("").replace(/ +/g, " ").replaceAll("\r\n", "\n")
  return likeInput(run, value, joined.replace(/\n{3,}/g, "\n\n"))
}

const encoded = (run: Run, value: Value): string => {
  const source = text(run, value)
  run.alloc(source.length * 9)
  if (!source.isWellFormed()) throw valueFault("half of a character cannot be encoded")
  return encodeURIComponent(source)
}

const urlencode: Native = (run, input) => {
  if (typeof input === "string") return encoded(run, input)
  const object = objectOf(input) ?? {}
  const pairs: ReadonlyArray<readonly [Value, Value]> = Array.isArray(input)
    ? listOf(run, input).map((pair) => pairOf(run, pair))
    : keysOf(run, object).map((name) => [name, object[name]])
  return pairs.map(([name, value]) => `${encoded(run, name)}=${encoded(run, value)}`).join("&")
}

const pairOf = (run: Run, pair: Value): readonly [Value, Value] => {
  run.tick(1)
  return [propertyOf(run, pair, 0), propertyOf(run, pair, 1)]
}

const wrapped = /^(?:\(|<|&lt;)?(.*?)(?:\.|,|\)|\n|&gt;)?$/
const mail = /^[\w.!#$%&'*+\-/=?^`{|}~]+@[a-z\d-]+(\.[a-z\d-]+)+$/i
const domain = /\.(?:org|net|com)(?::|\/|$)/

/** A word as a link, if it has the form of an address. */
const linked = (word: string, length: number, attribute: string): string => {
  const url = wrapped.exec(word)?.[1] ?? word
  const short = url.substring(0, length)
  if (/^https?:\/\/.*$/.test(url)) return `<a href="${url}"${attribute}>${short}</a>`
  if (url.startsWith("www.")) return `<a href="http://${url}"${attribute}>${short}</a>`
  if (mail.test(url)) return `<a href="mailto:${url}">${url}</a>`
  return domain.test(url) ? `<a href="http://${url}"${attribute}>${short}</a>` : word
}

const urlize: Native = (run, input, most, nofollow) => {
  const source = textOf(run, input)
  run.alloc(source.length * 8)
  const length = numberOf(run, most)
  const attribute = nofollow === true ? ' rel="nofollow"' : ""
  const words = source.split(/(\s+)/).map((word) => {
    run.alloc(40)
    return linked(word, Number.isNaN(length) ? Infinity : length, attribute)
  })
  return words.join("")
}

const escape: Native = (run, input) => (input instanceof SafeText ? input : escaped(run, input))

export const htmlFilters: ReadonlyArray<readonly [string, Native]> = [
  ["e", escape],
  ["escape", escape],
  ["forceescape", (run, input) => escaped(run, input)],
  ["nl2br", nl2br],
  ["safe", safe],
  ["striptags", striptags],
  ["urlencode", urlencode],
  ["urlize", urlize]
]

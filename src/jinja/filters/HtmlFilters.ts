/** Filters for HTML, URLs and JSON. */
import { Fault, typeFault } from "../runtime/Fault.ts"
import { native } from "../runtime/Native.ts"
import type { Native, Runtime, Value } from "../value/Value.ts"
import { asInteger, asText } from "../value/Arguments.ts"
import { isIterable, isTrue } from "../value/Compare.ts"
import { Dict } from "../value/Dict.ts"
import { escapeHtml, escapeUnlessSafe } from "../text/Html.ts"
import { elementsOf, iterate, unpack } from "../value/Iterate.ts"
import { hasMarkup, hideMarkup, toJson } from "../print/Json.ts"
import { prettyPrint } from "../print/PrettyPrint.ts"
import { quote, text } from "../print/Repr.ts"
import { stripTags } from "../text/StripTags.ts"
import { words } from "../text/Text.ts"
import { urlize } from "../text/Urlize.ts"
import { Markup, Undefined, isInteger, isText, plain, typeName } from "../value/Values.ts"

/** `urllib.parse.quote`: all bytes but letters, digits and `_.-~` as hex, and `/` too in query strings. */
const quoteUrl = (runtime: Runtime, source: string, inQuery: boolean): string => {
  runtime.alloc(source.length * 3)
  const quoted = encodeURIComponent(source.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return inQuery ? quoted.replaceAll("%20", "+") : quoted.replaceAll("%2F", "/")
}

const urlencode = (runtime: Runtime, value: Value): string => {
  if (isText(value) || !isIterable(value)) return quoteUrl(runtime, text(runtime, value), false)
  const next = iterate(runtime, value instanceof Dict ? Array.from(value.entries(), ([k, v]): Value => [k, v]) : value)
  const pairs: Array<string> = []
  for (let pair = next(); pair !== undefined; pair = next()) {
    const [key, item] = unpack(runtime, pair, 2).map((part) => quoteUrl(runtime, text(runtime, part), true))
    pairs.push(`${key}=${item}`)
  }
  return pairs.join("&")
}

/** `value.items()`; fails as Jinja's filter does if the value is no mapping. */
export const entriesOf = (value: Value): Iterable<[Value, Value]> => {
  if (value instanceof Dict) return value.entries()
  if (value instanceof Undefined) throw value.fault()
  throw new Fault("Attribute", `'${typeName(value)}' object has no attribute 'items'`)
}

const xmlattr = (runtime: Runtime, value: Value, autospace: boolean): Value => {
  const attributes: Array<string> = []
  for (const [key, item] of entriesOf(value)) {
    if (item === null || item instanceof Undefined) continue
    if (!isText(key)) throw typeFault(`expected string or bytes-like object, got '${typeName(key)}'`)
    if (/[ \t\n\r\f\v/>=]/.test(plain(key))) {
      throw new Fault("Value", `Invalid character in attribute name: ${quote(plain(key))}`)
    }
    attributes.push(`${escapeUnlessSafe(runtime, key)}="${escapeUnlessSafe(runtime, item)}"`)
  }
  const joined = attributes.join(" ")
  runtime.alloc(joined.length)
  const spaced = autospace && joined !== "" ? ` ${joined}` : joined
  return runtime.autoescape ? new Markup(spaced) : spaced
}

const linkText = (
  runtime: Runtime,
  value: Value,
  limit: Value,
  nofollow: boolean,
  target: Value,
  rel: Value,
  schemes: Value
): Value => {
  const rels = new Set(rel === null ? [] : words(asText(rel, "rel must be str")))
  if (nofollow) rels.add("nofollow")
  rels.add("noopener")
  const extra = schemes === null ? [] : elementsOf(runtime, schemes).map((scheme) => asText(scheme, "expected string"))
  for (const scheme of extra) {
    if (/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(scheme)) continue
    throw new Fault("FilterArgument", `${quote(scheme)} is not a valid URI scheme prefix.`)
  }
  const linked = urlize(runtime, escapeUnlessSafe(runtime, value), {
    shownMost: limit === null ? undefined : asInteger(limit),
    rel: [...rels].sort().join(" "),
    target: target === null ? undefined : asText(target, "target must be str"),
    schemes: extra
  })
  return runtime.autoescape ? new Markup(linked) : linked
}

const jsonIndent = (runtime: Runtime, indent: Value): string | undefined => {
  if (indent === null) return undefined
  if (isText(indent)) return plain(indent)
  if (!isInteger(indent)) throw typeFault(`can't multiply sequence by non-int of type '${typeName(indent)}'`)
  const width = Math.max(0, Number(indent))
  runtime.alloc(width)
  return " ".repeat(width)
}

export const htmlFilters: Readonly<Record<string, Native>> = {
  escape: native("escape(s, /)", (rt, s) => (s instanceof Markup ? s : new Markup(escapeUnlessSafe(rt, s)))),
  forceescape: native("do_forceescape(value)", (rt, value) => new Markup(escapeHtml(rt, text(rt, value)))),
  pprint: native("do_pprint(value)", (rt, value) => prettyPrint(rt, value)),
  safe: native("do_mark_safe(value)", (rt, value) => (value instanceof Markup ? value : new Markup(text(rt, value)))),
  striptags: native("do_striptags(value)", (rt, value) => stripTags(rt, text(rt, value))),
  tojson: native("do_tojson(value, indent?)", (rt, value, indent = null) => {
    const json = toJson(rt, value, jsonIndent(rt, indent))
    rt.alloc(json.length)
    if (!hasMarkup(json)) return new Markup(json)
    const hidden = hideMarkup(json)
    rt.alloc(hidden.length - json.length)
    return new Markup(hidden)
  }),
  urlencode: native("do_urlencode(value)", (rt, value) => urlencode(rt, value)),
  urlize: native(
    "do_urlize(value, trim_url_limit?, nofollow?, target?, rel?, extra_schemes?)",
    (rt, value, limit = null, nofollow = false, target = null, rel = null, schemes = null) =>
      linkText(rt, value, limit, isTrue(nofollow), target, rel, schemes)
  ),
  xmlattr: native("do_xmlattr(d, autospace?)", (rt, d, autospace = true) => xmlattr(rt, d, isTrue(autospace)))
}

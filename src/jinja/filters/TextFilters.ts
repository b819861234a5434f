/** Filters on text. */
import { Fault, typeFault } from "../runtime/Fault.ts"
import { pad } from "../methods/TextShape.ts"
import { replace } from "../methods/TextSearch.ts"
import { native, variadic } from "../runtime/Native.ts"
import type { Native, Runtime, Value } from "../value/Value.ts"
import { asInteger, asText, integerOr } from "../value/Arguments.ts"
import { capitalize } from "../text/Case.ts"
import { isTrue, sizeOf } from "../value/Compare.ts"
import { Dict } from "../value/Dict.ts"
import { escapeUnlessSafe } from "../text/Html.ts"
import { add, modulo, multiply } from "../value/Operators.ts"
import { text } from "../print/Repr.ts"
import { characterChars, headOf, lengthOf, linesOf, strip } from "../text/Text.ts"
import { Markup, Tuple, Undefined, isText, plain, typeName } from "../value/Values.ts"
import { wrap } from "../text/WordWrap.ts"

/** Transforms text; Markup stays Markup. */
const onText = (runtime: Runtime, value: Value, change: (source: string) => string): Value => {
  const changed = change(text(runtime, value))
  runtime.alloc(changed.length)
  return value instanceof Markup ? new Markup(changed) : changed
}

/** Python's `\w` */
const wordRun = /[\p{L}\p{N}_]+/gu

/** Characters after which the filter `title` starts a new word. */
const wordStart = /([-\s({[<]+)/u

const title = (source: string): string =>
  source
    .split(wordStart)
    .map((part) => {
      const [head = ""] = part
      return head.toUpperCase() + part.slice(head.length).toLowerCase()
    })
    .join("")

const replaceFilter = (runtime: Runtime, value: Value, old: Value, by: Value, count: Value | undefined): Value => {
  const limit = count === undefined || count === null ? -1 : asInteger(count)
  if (!runtime.autoescape) return replace(runtime, text(runtime, value), text(runtime, old), text(runtime, by), limit)
  const escapes = old instanceof Markup || (by instanceof Markup && !(value instanceof Markup))
  if (!escapes && !(value instanceof Markup)) {
    return replace(runtime, text(runtime, value), text(runtime, old), text(runtime, by), limit)
  }
  const safe = (part: Value) => escapeUnlessSafe(runtime, part)
  return new Markup(replace(runtime, safe(value), safe(old), safe(by), limit))
}

const noLines = (value: Value): Fault =>
  new Fault("Attribute", `'${typeName(value)}' object has no attribute 'splitlines'`)

const indent = (
  runtime: Runtime,
  value: Value,
  width: Value,
  first: Value | undefined,
  blank: Value | undefined
): Value => {
  const markup = value instanceof Markup
  const step = isText(width) ? width : multiply(runtime, " ", width)
  const margin = markup ? escapeUnlessSafe(runtime, step) : text(runtime, step)
  if (Array.isArray(value)) throw noLines(value)
  // With the line break at its end even empty text has one line.
  const source = add(runtime, value, "\n")
  if (!isText(source)) throw typeFault(`can only concatenate ${typeName(value)} to str`)
  runtime.alloc(plain(source).length * 4)
  const lines = linesOf(plain(source))
  runtime.alloc(lines.length * margin.length + plain(source).length)
  const whole =
    blank !== undefined && isTrue(blank)
      ? lines.join(`\n${margin}`)
      : lines.map((line, index) => (index === 0 || line === "" ? line : margin + line)).join("\n")
  const result = first !== undefined && isTrue(first) ? margin + whole : whole
  return markup ? new Markup(result) : result
}

const truncate = (
  runtime: Runtime,
  value: Value,
  length: number,
  killWords: boolean,
  end: string | Markup,
  leeway: number
): Value => {
  const endLength = lengthOf(plain(end))
  if (length < endLength) throw new Fault("AssertionFailed", `expected length >= ${endLength}, got ${length}`)
  if (leeway < 0) throw new Fault("AssertionFailed", `expected leeway >= 0, got ${leeway}`)
  const size = sizeOf(value)
  if (size === undefined) throw typeFault(`object of type '${typeName(value)}' has no len()`)
  if (size <= length + leeway) return value
  if (!isText(value)) throw typeFault(`can only concatenate ${typeName(value)} (not "str") to ${typeName(value)}`)
  const cut = headOf(plain(value), length - endLength)
  const space = killWords ? -1 : cut.lastIndexOf(" ")
  const kept = space < 0 ? cut : cut.slice(0, space)
  return add(runtime, value instanceof Markup ? new Markup(kept) : kept, end)
}

const wordwrap = (
  runtime: Runtime,
  value: Value,
  width: number,
  breakLongWords: boolean,
  wrapString: string,
  breakOnHyphens: boolean
): string => {
  if (!isText(value)) {
    if (value instanceof Undefined) throw value.fault()
    throw noLines(value)
  }
  const paragraphs = linesOf(plain(value)).map((line) => {
    const lines = wrap(runtime, line, { width, breakLongWords, breakOnHyphens })
    runtime.alloc(line.length + (lines.length + 1) * wrapString.length)
    return lines.join(wrapString)
  })
  return paragraphs.join(wrapString)
}

export const textFilters: Readonly<Record<string, Native>> = {
  capitalize: native("do_capitalize(s)", (rt, s) => onText(rt, s, capitalize)),
  center: native("do_center(value, width?)", (rt, value, width) => {
    const padded = pad(rt, text(rt, value), integerOr(width, 80), undefined, "both")
    return value instanceof Markup ? new Markup(padded) : padded
  }),
  format: variadic("do_format", (rt, [value = "", ...args], keywords) => {
    if (keywords !== undefined && args.length > 0) {
      throw new Fault("FilterArgument", "can't handle positional and keyword arguments at the same time")
    }
    const source = isText(value) ? value : text(rt, value)
    return modulo(rt, source, keywords === undefined ? new Tuple(args) : Dict.of(keywords))
  }),
  indent: native("do_indent(s, width?, first?, blank?)", (rt, s, width = 4, first, blank) =>
    indent(rt, s, width, first, blank)
  ),
  lower: native("do_lower(s)", (rt, s) => onText(rt, s, (source) => source.toLowerCase())),
  replace: native("do_replace(s, old, new, count?)", (rt, s, old, by, count) => replaceFilter(rt, s, old, by, count)),
  string: native("soft_str(s)", (rt, s) => (s instanceof Markup ? s : text(rt, s))),
  title: native("do_title(s)", (rt, s) => {
    const source = text(rt, s)
    rt.alloc(source.length * characterChars)
    return title(source)
  }),
  trim: native("do_trim(value, chars?)", (rt, value, chars = null) => {
    const set = chars === null ? undefined : asText(chars, "strip arg must be None or str")
    rt.alloc((set?.length ?? 0) * characterChars)
    return onText(rt, value, (source) => strip(source, set, true, true))
  }),
  truncate: native(
    "do_truncate(s, length?, killwords?, end?, leeway?)",
    (rt, s, length, kill = false, end = "...", leeway = null) =>
      truncate(
        rt,
        s,
        integerOr(length, 255),
        isTrue(kill),
        isText(end) ? end : asText(end, "end must be str"),
        leeway === null ? 5 : asInteger(leeway)
      )
  ),
  upper: native("do_upper(s)", (rt, s) => onText(rt, s, (source) => source.toUpperCase())),
  wordcount: native("do_wordcount(s)", (rt, s) => {
    const source = text(rt, s)
    rt.alloc(source.length * 4)
    return source.match(wordRun)?.length ?? 0
  }),
  wordwrap: native(
    "do_wordwrap(s, width?, break_long_words?, wrapstring?, break_on_hyphens?)",
    (rt, s, width, breakLong = true, wrapString = null, hyphens = true) =>
      wordwrap(
        rt,
        s,
        integerOr(width, 79),
        isTrue(breakLong),
        wrapString === null ? "\n" : asText(wrapString, "wrapstring must be str"),
        isTrue(hyphens)
      )
  )
}

/**
 * Methods of Markup: those of str. Where markupsafe does so, text arguments are escaped and text results are Markup.
 */
import { type Implementation, methodsOn } from "../runtime/Native.ts"
import type { Native, Runtime, Value } from "../value/Value.ts"
import { escapeUnlessSafe } from "../text/Html.ts"
import { elementsOf } from "../value/Iterate.ts"
import { stripTags, unescapeHtml } from "../text/StripTags.ts"
import { Markup, Tuple, isText } from "../value/Values.ts"

/** Methods that escape their arguments and return Markup. */
const escaping: ReadonlySet<string> = new Set(
  "capitalize title lower upper replace ljust rjust lstrip rstrip center strip translate expandtabs swapcase zfill".split(
    " "
  )
)

/** Methods that do not escape their arguments and return Markup. */
const wrapping: ReadonlySet<string> = new Set(["split", "rsplit", "splitlines"])

/** Methods that escape their arguments and return a list or tuple of Markup. */
const parting: ReadonlySet<string> = new Set(["partition", "rpartition"])

const escapeText = (runtime: Runtime, value: Value): Value => (isText(value) ? escapeUnlessSafe(runtime, value) : value)

const wrap = (value: Value): Value => {
  if (typeof value === "string") return new Markup(value)
  if (Array.isArray(value)) return value.map(wrap)
  return value instanceof Tuple ? new Tuple(value.items.map(wrap)) : value
}

const markupMethod = (method: Native): Native => {
  const definedIn = escaping.has(method.name) ? "str" : "Markup"
  const escapes = escaping.has(method.name) || parting.has(method.name)
  const wraps = escapes || wrapping.has(method.name)
  return {
    ...method,
    ...(wraps ? { definedIn } : {}),
    run: undefined,
    call: (runtime, [self, ...args], keywords) => {
      const given = escapes ? args.map((arg) => escapeText(runtime, arg)) : args
      const result = method.call(runtime, [(self as Markup).text, ...given], keywords)
      return wraps ? wrap(result) : result
    }
  }
}

export const markupMethods = (textMethods: ReadonlyArray<Native>): ReadonlyArray<Native> => [
  ...textMethods.map(markupMethod),
  ...ownMethods
]

const own = <const S extends string>(signature: S, run: Implementation<S, Markup>): Native =>
  Object.assign(methodsOn<Markup>()(signature, run), { definedIn: "Markup" })

const ownMethods: ReadonlyArray<Native> = [
  own("join(self, seq)", (rt, self, items) => {
    const pieces = elementsOf(rt, items).map((item) => escapeUnlessSafe(rt, item))
    const { text } = self
    rt.alloc(pieces.reduce((length, piece) => length + piece.length + text.length, 0))
    return new Markup(pieces.join(text))
  }),
  own("unescape(self)", (rt, self) => unescapeHtml(rt, self.text)),
  own("striptags(self)", (rt, self) => stripTags(rt, self.text)),
  own("escape(self, s)", (rt, _self, value) => new Markup(escapeUnlessSafe(rt, value)))
]

/** markupsafe's `striptags` and `unescape`. */
import type { Runtime } from "../value/Value.ts"
import { words } from "./Text.ts"

/** Entities that HTML also accepts without the semicolon, for the characters from 160 on. */
const latinNames =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"

const loose: ReadonlyMap<string, string> = new Map<string, string>([
  ["amp", "&"],
  ["AMP", "&"],
  ["lt", "<"],
  ["LT", "<"],
  ["gt", ">"],
  ["GT", ">"],
  ["quot", '"'],
  ["QUOT", '"'],
  ...latinNames.split(" ").map((name, index): [string, string] => [name, String.fromCharCode(160 + index)])
])

/** Entities that need the semicolon: the common ones of HTML's two thousand. */
const strict: ReadonlyMap<string, string> = new Map(
  Object.entries({
    apos: "'",
    bull: "•",
    hellip: "…",
    euro: "€",
    trade: "™",
    ndash: "–",
    mdash: "—",
    lsquo: "‘",
    rsquo: "’",
    sbquo: "‚",
    ldquo: "“",
    rdquo: "”",
    bdquo: "„",
    lsaquo: "‹",
    rsaquo: "›",
    dagger: "†",
    Dagger: "‡",
    permil: "‰",
    larr: "←",
    uarr: "↑",
    rarr: "→",
    darr: "↓",
    harr: "↔",
    minus: "−",
    infin: "∞",
    asymp: "≈",
    ne: "≠",
    le: "≤",
    ge: "≥",
    ensp: "\u2002",
    emsp: "\u2003",
    thinsp: "\u2009",
    zwnj: "\u200c",
    zwj: "\u200d",
    check: "✓",
    hearts: "♥"
  })
)

/** The characters that browsers show for the numbers 128 to 159. */
const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"

const numbered = (code: number): string => {
  if (code === 0) return "\ufffd"
  if (code === 13) return "\r"
  if (code >= 128 && code < 160) return windows1252[code - 128]!
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return "\ufffd"
  const noCharacter = code < 9 || code === 11 || (code > 13 && code < 32) || code === 127
  return noCharacter || (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe
    ? ""
    : String.fromCodePoint(code)
}

const entity = (whole: string, name: string): string => {
  if (name.startsWith("#")) {
    const hex = /^#[xX]/.test(name)
    return numbered(Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10))
  }
  if (name.endsWith(";")) {
    const known = loose.get(name.slice(0, -1)) ?? strict.get(name.slice(0, -1))
    if (known !== undefined) return known
  }
  for (let length = name.length; length > 1; length--) {
    const known = loose.get(name.slice(0, length))
    if (known !== undefined) return known + name.slice(length)
  }
  return whole
}

/** `html.unescape(text)` */
export const unescapeHtml = (runtime: Runtime, text: string): string => {
  runtime.alloc(text.length)
  return text.replace(/&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/g, entity)
}

/** The text without the parts from `open` to `close`. An `open` without a `close` stays. */
const without = (text: string, open: string, close: string): string => {
  let all = ""
  let from = 0
  for (;;) {
    const start = text.indexOf(open, from)
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length)
    if (end < 0) return all + text.slice(from)
    all += text.slice(from, start)
    from = end + close.length
  }
}

/** The text without comments and tags, with each run of white space as one space and entities decoded. */
export const stripTags = (runtime: Runtime, text: string): string => {
  runtime.alloc(text.length * 6)
  return unescapeHtml(runtime, words(without(without(text, "<!--", "-->"), "<", ">")).join(" "))
}

/** Turns URLs and e-mail addresses into links, as `jinja2.utils.urlize` does. */
import type { Runtime } from "../value/Value.ts"
import { escapeHtml } from "./Html.ts"
import { headOf, lengthOf, whitespace } from "./Text.ts"

const wordCharacter = "[\\p{L}\\p{N}_]"

const url = new RegExp(
  "^(" +
    `(https?://|www\\.)(([\\p{L}\\p{N}_%-]+\\.)+)?([a-z]{2,63}|xn--[\\p{L}\\p{N}_%]{2,59})` +
    "|([\\p{L}\\p{N}_%-]{2,63}\\.)+(com|net|int|edu|gov|org|info|mil)" +
    "|(https?://)((\\p{Nd}{1,3}(\\.\\p{Nd}{1,3}){3})|(\\[([\\p{Nd}a-f]{0,4}:){2}([\\p{Nd}a-f]{0,4}:?){1,6}\\]))" +
    `)(:\\p{Nd}{1,5})?([/?#][^${whitespace}]*)?$`,
  "iu"
)

const mail = new RegExp(`^[^${whitespace}]+@${wordCharacter}[\\p{L}\\p{N}_.-]*\\.${wordCharacter}+$`, "u")

interface Linking {
  /** Most characters that a link shows of its address; undefined for all. */
  readonly shownMost: number | undefined
  readonly rel: string | undefined
  readonly target: string | undefined
  readonly schemes: ReadonlyArray<string>
}

/** Longest word that may be an address, characters. */
const addressMost = 4096

/** `html` is escaped text. */
export const urlize = (runtime: Runtime, html: string, linking: Linking): string => {
  const attributes =
    (linking.rel === undefined ? "" : ` rel="${escapeHtml(runtime, linking.rel)}"`) +
    (linking.target === undefined ? "" : ` target="${escapeHtml(runtime, linking.target)}"`)
  runtime.alloc(html.length * 4)
  const words = html.split(new RegExp(`([${whitespace}]+)`))
  return words
    .map((word) => {
      runtime.tick(2 + (word.length >> 4))
      if (word.length > addressMost) return word
      const linked = linkWord(word, attributes, linking)
      runtime.alloc(linked.length)
      return linked
    })
    .join("")
}

const linkWord = (word: string, attributes: string, linking: Linking): string => {
  const { head, middle, tail } = cutPunctuation(word)
  return head + link(middle, attributes, linking) + tail
}

/** Splits off brackets before the address and punctuation after it that do not belong to it. */
const cutPunctuation = (word: string): { readonly head: string; readonly middle: string; readonly tail: string } => {
  const head = /^(?:[(<]|&lt;)+/.exec(word)?.[0] ?? ""
  const end = endOfAddress(word, head.length)
  let middle = word.slice(head.length, end)
  let tail = word.slice(end)
  for (const [open, close] of [
    ["(", ")"],
    ["<", ">"],
    ["&lt;", "&gt;"]
  ] as const) {
    const missing = middle.split(open).length - middle.split(close).length
    for (let moved = 0; moved < missing; moved++) {
      const at = tail.indexOf(close)
      if (at < 0) break
      middle += tail.slice(0, at + close.length)
      tail = tail.slice(at + close.length)
    }
  }
  return { head, middle, tail }
}

/** Offset of the punctuation after the address. */
const endOfAddress = (word: string, start: number): number => {
  let end = word.length
  for (;;) {
    if (end > start && ")>.,\n".includes(word.charAt(end - 1))) end--
    else if (end - 4 >= start && word.startsWith("&gt;", end - 4)) end -= 4
    else return end
  }
}

const link = (middle: string, attributes: string, { shownMost, schemes }: Linking): string => {
  const anchor = (href: string, shown: string) => `<a href="${href}"${attributes}>${shown}</a>`
  if (url.test(middle)) {
    const shown = shownMost !== undefined && lengthOf(middle) > shownMost ? `${headOf(middle, shownMost)}...` : middle
    return anchor(/^https?:\/\//.test(middle) ? middle : `https://${middle}`, shown)
  }
  if (middle.startsWith("mailto:") && mail.test(middle.slice(7))) return `<a href="${middle}">${middle.slice(7)}</a>`
  const bare = middle.includes("@") && !middle.startsWith("www.") && !middle.includes(":")
  if (bare && mail.test(middle)) return `<a href="mailto:${middle}">${middle}</a>`
  const scheme = schemes.find((start) => middle !== start && middle.startsWith(start))
  return scheme === undefined ? middle : anchor(middle, middle)
}

/** JSON as people read it: indented, coloured, and its addresses as links. */
import type { Effect } from "effect"
import { inSlices } from "../../eventloop/Slices.ts"
import { Html, html } from "../Html.ts"

/** Most characters of JSON that a page shows, and of the HTML made of them: deep nesting indents a lot. */
const shownCharsMax = 256 * 1024
const htmlCharsMax = 2 * 1024 * 1024

/** Longest address that becomes a link. */
const linkCharsMax = 2000

interface ShownJson {
  readonly html: Html
  /** Whether the text was too long to be shown whole. */
  readonly isCut: boolean
}

/** The compact JSON as HTML, made in slices. */
export const shownJson = (json: string): Effect.Effect<ShownJson> => inSlices(showing(json))

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[-\w.+]+|[{}[\],:]/sy

function* showing(json: string): Generator<void, ShownJson> {
  const text = json.slice(0, shownCharsMax)
  const parts: Array<string> = []
  let [at, depth, chars] = [0, 0, 0]
  const line = () => `\n${"  ".repeat(depth)}`
  while (at < text.length && chars < htmlCharsMax) {
    token.lastIndex = at
    const word = token.exec(text)?.[0] ?? text.slice(at)
    at += word.length
    const next = text[at]
    let shown: string
    if (word === "{" || word === "[") {
      const isEmpty = next === "}" || next === "]"
      shown = isEmpty ? word + next : word
      at += isEmpty ? 1 : 0
      depth += isEmpty ? 0 : 1
      if (!isEmpty) shown += line()
    } else if (word === "}" || word === "]") {
      depth -= 1
      shown = line() + word
    } else if (word === ",") shown = word + line()
    else if (word === ":") shown = ": "
    else shown = wordOf(word, next === ":").text
    parts.push(shown)
    chars += shown.length
    yield
  }
  return { html: new Html(parts.join("")), isCut: at < json.length }
}

/** A name, a text, a number, or `true`, `false` and `null`. */
const wordOf = (word: string, isName: boolean): Html => {
  if (!word.startsWith('"')) return html`<span class="${/^[-\d]/.test(word) ? "jn" : "jw"}">${word}</span>`
  if (isName) return html`<span class="jk">${word}</span>`
  const address = addressIn(word)
  return address === undefined
    ? html`<span class="js">${word}</span>`
    : html`<span class="js">"<a href="${address}" rel="noreferrer">${word.slice(1, -1)}</a>"</span>`
}

const addressIn = (word: string): string | undefined => {
  if (!/^"https?:\/\//.test(word) || !word.endsWith('"') || word.length > linkCharsMax) return undefined
  const address = String(JSON.parse(word))
  return URL.canParse(address) ? address : undefined
}

/** A body as people read it: JSON indented and in colours, anything else as its text. */
import { Effect } from "effect"
import { isDeeper } from "../../inventory/Unreadable.ts"
import { type Html, html } from "../Html.ts"
import { shownJson } from "../api/Json.ts"
import { beginning } from "../value/Value.ts"

/** Most characters that a page shows. */
const shownCharsMax = 60_000

/** Longest text that is parsed to see whether it is JSON, characters: parsing is one step. */
const parsedCharsMax = 1024 * 1024

/** Deepest JSON that is indented: each level makes its lines longer. */
const depthMax = 60

interface ShownBody {
  readonly shown: Html
  readonly isCut: boolean
}

export const shownBody = (text: string, title: string): Effect.Effect<ShownBody> =>
  Effect.gen(function* () {
    const isCut = text.length > shownCharsMax
    if (!isJson(text)) return { shown: block(html`${beginning(text, shownCharsMax)}`, title), isCut }
    const compact = withoutSpace(text.slice(0, shownCharsMax))
    const { html: json } = yield* shownJson(compact)
    return { shown: block(html`${json}${isCut ? " …" : ""}`, title), isCut }
  })

const block = (content: Html, title: string): Html =>
  html`<pre class="json" tabindex="0" aria-label="${title}"><code>${content}</code></pre>`

const isJson = (text: string): boolean => {
  if (text.length > parsedCharsMax || !/^\s*[[{]/.test(text)) return false
  try {
    return !isDeeper(JSON.parse(text), depthMax)
  } catch {
    return false
  }
}

/** JSON without white space between its tokens; its end may be missing. */
const withoutSpace = (json: string): string => {
  const parts: Array<string> = []
  let from = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]!
    if (isText) {
      if (sign === "\\") at += 1
      else if (sign === '"') isText = false
    } else if (sign === '"') isText = true
    else if (sign === " " || sign === "\n" || sign === "\r" || sign === "\t") {
      parts.push(json.slice(from, at))
      from = at + 1
    }
  }
  return parts.join("") + json.slice(from)
}

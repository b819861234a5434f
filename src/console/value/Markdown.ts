/**
 * Texts that people write in Markdown, as HTML. Pure.
 *
 * `sanitize-html` keeps the elements and attributes that are listed here and nothing else: no image, form, style, id or
 * attribute of htmx. What it lets through is behind the content security policy of every page.
 */
import { Script, createContext } from "node:vm"
import { Marked } from "marked"
import sanitize from "sanitize-html"
import { Html, html } from "../Html.ts"

/** Longest text that is read as Markdown, characters. Pages read no more of a text. */
const charsMax = 21_000

/** Longest text that is read without a limit of time, characters: no text of this length takes long. */
const shortCharsMax = 1000

/**
 * Longest time that a longer text may take, milliseconds. `marked` needs ten seconds for 20,000 characters that are
 * chosen for it; a script of `node:vm` is ended when its time is over.
 */
const budgetMillis = 40

/** Deepest nesting of elements; deeper ones are left out. */
const nestingMax = 20

const marked = new Marked({
  gfm: true,
  renderer: {
    image: ({ href, text }) => html`<a href="${href}">${text === "" ? href : text}</a>`.text,
    // Markup is shown as it is written: `set interface <name>` is no element.
    html: ({ text }) => (/^<br ?\/?>$/i.test(text) ? "<br>" : html`${text}`.text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ ")
  }
})

/** Headings are of one level, below those of the page. */
const headings = Object.fromEntries(["h1", "h2", "h3", "h4", "h5", "h6"].map((name) => [name, "h3"]))

const rules: sanitize.IOptions = {
  allowedTags: [
    ...["p", "br", "hr", "h3", "blockquote", "pre", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"],
    ...["a", "b", "strong", "i", "em", "del", "s", "code", "kbd", "sub", "sup"]
  ],
  allowedAttributes: { a: ["href", "rel"], ol: ["start"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
  disallowedTagsMode: "discard",
  parseStyleAttributes: false,
  nestingLimit: nestingMax,
  transformTags: {
    ...headings,
    a: (_, { href = "" }) => ({ tagName: "a", attribs: { href, rel: "noreferrer noopener nofollow" } })
  }
}

const context = createContext({})
const script = new Script("read()")

const inTime = (read: () => string): string => {
  context["read"] = read
  return String(script.runInContext(context, { timeout: budgetMillis }))
}

/** A text that takes too long, or is nested too deeply for the stack, is shown as it is written. */
export const markdown = (text: string): Html => {
  if (text.length > charsMax) return plain(text)
  try {
    const read = () => sanitize(marked.parse(text, { async: false }), rules)
    const made = text.length <= shortCharsMax ? read() : inTime(read)
    return html`<div class="markdown links">${new Html(made)}</div>`
  } catch {
    return plain(text)
  }
}

const plain = (text: string): Html => html`<div class="plain-text">${text}</div>`

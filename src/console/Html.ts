/** HTML in which whatever was no HTML is escaped. */

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | ReadonlyArray<Part>

/** A tagged template: what stands in it is HTML, what is put into it is text, unless it was made here. */
export const html = (fixed: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(fixed.reduce((before, after, at) => before + textOf(parts[at - 1]!) + after))

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(textOf).join("")
  return String(part)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
}

const style =
  "body{font:16px/1.5 system-ui;max-width:60rem;margin:4rem auto;padding:0 1rem}code,pre{background:#8882;padding:0 .3em}pre{white-space:pre-wrap}td,th{text-align:left;vertical-align:top;padding:.2em 1em .2em 0}"

/** A whole page. */
export const page = (title: string, body: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      <style>
        ${new Html(style)}
      </style>
      ${body}
    </html> `.text

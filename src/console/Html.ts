/** HTML by tagged templates: what is put into a template is escaped unless it is HTML itself. */

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | ReadonlyArray<Part>

/** The template's own text is HTML. Text and numbers put into it are escaped; lists are joined. */
export const html = (fixed: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(String.raw({ raw: fixed }, ...parts.map(textOf)))

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

/** HTML by tagged templates: what is put into a template is escaped unless it is HTML itself. */

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | ReadonlyArray<Part>

/** The template's own text is HTML. Text and numbers put into it are escaped; lists are joined. */
export const html = (fixed: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => {
  const strings = known.get(fixed) ?? withoutIndentation(fixed)
  let text = strings[0]!
  for (let at = 0; at < parts.length; at++) text += textOf(parts[at]!) + strings[at + 1]!
  return new Html(text)
}

/** A page has thousands of parts, so each template is prepared once. */
const known = new WeakMap<TemplateStringsArray, ReadonlyArray<string>>()

/** Indentation is for readers of the code: it would be a third of a page. */
const withoutIndentation = (fixed: TemplateStringsArray): ReadonlyArray<string> => {
  const strings = fixed.map((text) => text.replaceAll(/\n[ \n]*/g, "\n"))
  known.set(fixed, strings)
  return strings
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const textOf = (part: Part): string => {
  if (typeof part === "string") return escaped(part)
  if (part instanceof Html) return part.text
  if (typeof part === "number") return `${part}`
  let text = ""
  for (const each of part) text += textOf(each)
  return text
}

const escaped = (text: string): string =>
  /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, (sign) => entities[sign]!) : text

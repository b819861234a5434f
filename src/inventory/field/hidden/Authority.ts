/** The authority of an address, or of a template of one: the text between `https://` and the path. Pure. */

export interface Span {
  readonly from: number
  readonly to: number
}

/** An expression of a template. */
export const expressions = /\{\{.*?\}\}/gs

/** Where it is; undefined where the address has no scheme, or a template makes it in a way that cannot be seen. */
export const authorityIn = (text: string): Span | undefined => {
  // Each expression ends before the next one begins: no part may hold one half of a pair.
  const isPaired = text.split("{{").every((part, at) => part.split("}}").length === (at === 0 ? 1 : 2))
  const from = /^\s*[a-z][a-z0-9+.-]*:[/\\\s]*/i.exec(text)?.[0].length
  if (!isPaired || /\{[%#]/.test(text) || from === undefined) return undefined
  let at = from
  for (; at < text.length && !/[/?#\\]/.test(text[at]!); at++) {
    if (text.startsWith("{{", at)) at = text.indexOf("}}", at) + 1
  }
  return { from, to: at }
}

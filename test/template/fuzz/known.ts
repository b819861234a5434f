/**
 * Differences from Jinja2 on Python that we know of and mean to keep. A difference that none of these explains is a
 * bug.
 */

export interface Difference {
  readonly template: string
  readonly theirs: { readonly output?: string; readonly error?: string; readonly message?: string }
  readonly ours: { readonly output?: string | undefined; readonly reason?: string; readonly message?: string }
}

export interface Known {
  readonly name: string
  readonly why: string
  readonly explains: (difference: Difference) => boolean
}

/** Whether the texts differ in hexadecimal digits only, where ours has those of its one address. */
const differByAddress = (theirs: string, ours: string): boolean =>
  theirs.length === ours.length &&
  [...theirs].every((unit, at) => unit === ours[at] || (/[0-9a-fA-F]/.test(unit) && /[07fF]/.test(ours[at] ?? "")))

export const known: ReadonlyArray<Known> = [
  {
    name: "constant slice",
    why: "Jinja folds constants with a look-up that forgives: {{ 5[1:2] }} is nothing, {{ n[1:2] }} a TypeError. Ours is a TypeError.",
    explains: ({ ours }) =>
      /object is not subscriptable$|unhashable type: 'slice'|^slice indices must be/.test(ours.message ?? "")
  },
  {
    name: "block without text",
    why: "A filter block that gives no text fails at once with us, at the end of the template with Jinja, behind whatever else is wrong.",
    explains: ({ ours, theirs }) =>
      theirs.error !== undefined && (ours.message ?? "").startsWith("sequence item 0: expected str instance")
  },
  {
    name: "address",
    why: "An object's address was printed and then taken apart or measured. Ours is always the same one.",
    explains: ({ ours, theirs }) => ours.output !== undefined && differByAddress(theirs.output ?? "", ours.output)
  },
  {
    name: "computed autoescape",
    why: "Jinja does not escape constants in a block whose autoescape is computed. Ours escapes what is printed.",
    explains: ({ template, theirs, ours }) =>
      /autoescape (?!true|false)/.test(template) && theirs.output !== undefined && ours.output !== undefined
  },
  {
    name: "ruled-out filter",
    why: "Jinja folds constants before it looks filters up, so it misses one that does not exist where a constant rules it out.",
    explains: ({ ours, theirs }) =>
      /^No (filter|test) named/.test(ours.message ?? "") && theirs.error !== "TemplateAssertionError"
  },
  {
    name: "dict as a generic type",
    why: "In Python dict['x'] is a type again, for annotations; so dict.nope is one too.",
    explains: ({ template, theirs }) =>
      /\bdict\s*[.[]/.test(template) || theirs.message?.startsWith("dict expected at most 1 argument") === true
  },
  {
    name: "cycler's items",
    why: "A filter that wants a dict finds the cycler's list of values under that name in Python, and fails to call it.",
    explains: ({ template, theirs }) => /cycler/.test(template) && theirs.message === "'tuple' object is not callable"
  },
  {
    name: "bytes",
    why: "Of the methods of bytes ours has decode and hex.",
    explains: ({ template, ours }) => /encode\(/.test(template) && /bytes/.test(ours.message ?? "")
  }
]

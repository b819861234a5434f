// Groups and rows of a builder from JSON, and the JSON of groups and rows.

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

/** JSON without the blanks outside of its texts. */
export const compact = (text) => text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1")

export const parsed = (text) => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

export const unbuildable = (why) => {
  throw new TypeError(why)
}

/** A tree of conditions: `{logic, items}`, or a row `{name, op, value, not}`. */
export const treeOf = (document, { usual, operators }) => {
  if (!isObject(document)) return unbuildable("a condition is an object")
  const { attr, op = usual, value, negate = false, ...others } = document
  const keys = Object.keys(document)
  if (typeof attr === "string") {
    const isKnown = operators.some(({ name }) => name === op) && typeof negate === "boolean"
    if (!isKnown || Object.keys(others).length > 0) return unbuildable("a row has another key or operator")
    return { name: attr, op, value, not: negate }
  }
  const [logic] = keys
  const isGroup = keys.length === 1 && (logic === "and" || logic === "or") && Array.isArray(document[logic])
  if (!isGroup) return unbuildable("a group has other keys")
  return { logic, items: document[logic].map((each) => treeOf(each, { usual, operators })) }
}

export const documentOf = (node, usual) =>
  node.logic === undefined
    ? {
        attr: node.name,
        ...(node.op !== usual && { op: node.op }),
        ...(node.value !== undefined && { value: node.value }),
        ...(node.not && { negate: true })
      }
    : { [node.logic]: node.items.map((each) => documentOf(each, usual)) }

/** Alternatives of a list; the rows of each are the entries of an object. */
export const groupsOf = (document, { usual, operators, fields }) => ({
  logic: "or",
  items: [document].flat().map((each) => {
    if (!isObject(each)) return unbuildable("a group is an object")
    const items = Object.entries(each).map(([key, value]) => {
      const [, name = key, op = usual] = /^(.+)__([a-z_]+?)$/.exec(key) ?? []
      const isOperator = fields.every((field) => field.name !== key) && operators.some((each) => each.name === op)
      return isOperator ? { name, op, value } : { name: key, op: usual, value }
    })
    return { logic: "and", items }
  })
})

export const groupDocument = ({ items }, usual) => {
  const entries = items.map(({ name, op, value }) => [op === usual ? name : `${name}__${op}`, value ?? null])
  if (new Set(entries.map(([key]) => key)).size < entries.length)
    return unbuildable("A group has each field with the same operator once. Put the other value in a group of its own.")
  return Object.fromEntries(entries)
}

import { isDictionary, printed } from "../Field.ts"

/** A value from outside as Python writes it in code: NetBox's messages repeat what was sent so. */
export const pythonRepr = (value: unknown): string => {
  if (value === null || value === undefined) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`
  if (isDictionary(value)) {
    const pairs = Object.entries(value).map(([key, each]) => `${pythonRepr(key)}: ${pythonRepr(each)}`)
    return `{${pairs.join(", ")}}`
  }
  if (typeof value !== "string") return printed(value)
  const body = JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
  return body.includes("'") && !body.includes('"') ? `"${body}"` : `'${body.replaceAll("'", String.raw`\'`)}'`
}

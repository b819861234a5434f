/** Escapes HTML as markupsafe does. */
import type { Runtime, Value } from "../value/Value.ts"
import { text } from "../print/Repr.ts"
import { Markup } from "../value/Values.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;"
}

/** The text with HTML's special characters escaped. */
export const escapeHtml = (runtime: Runtime, value: string): string => {
  runtime.alloc(value.length * 2)
  const escaped = value.replace(/[&<>"']/g, (character) => entities[character] ?? character)
  runtime.alloc(escaped.length - value.length)
  return escaped
}

/** `escape(value)` as text; Markup stays unchanged. */
export const escapeUnlessSafe = (runtime: Runtime, value: Value): string =>
  value instanceof Markup ? value.text : escapeHtml(runtime, text(runtime, value))

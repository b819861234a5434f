/** What is safe in HTML, as markupsafe sees it. */
import type { Runtime } from "../runtime/Runtime.ts"
import { text } from "./Repr.ts"
import { Markup, type Value } from "./Values.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;"
}

/** The text with what means something in HTML escaped. */
export const escapeHtml = (runtime: Runtime, value: string): string => {
  runtime.alloc(value.length * 2)
  const escaped = value.replace(/[&<>"']/g, (character) => entities[character] ?? character)
  runtime.alloc(escaped.length - value.length)
  return escaped
}

/** `escape(value)` as text: what is Markup already stays as it is. */
export const escapeUnlessSafe = (runtime: Runtime, value: Value): string =>
  value instanceof Markup ? value.text : escapeHtml(runtime, text(runtime, value))

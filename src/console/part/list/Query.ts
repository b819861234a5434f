/** Links to the same page with another query: every state of a page is in its address. */

/** The query with these parameters changed; undefined leaves one out. */
export const changed = (query: URLSearchParams, changes: Readonly<Record<string, string | undefined>>): string => {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  }
  return `?${next}`
}

/** The query without blank values: without scripts a form sends every field that was left blank. */
export const withoutBlanks = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([, value]) => value !== ""))

/** The query without one of its values. */
export const without = (query: URLSearchParams, name: string, value: string): string => {
  const next = new URLSearchParams(query)
  next.delete(name, value)
  next.delete("offset")
  return `?${next}`
}

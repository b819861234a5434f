/** Addresses of next pages that a request names: never of another site. */

/** The path, query and fragment if it is a page of ours; undefined for everything else. */
export const ownPath = (next: string | null): string | undefined => {
  if (next === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes("\\")) return undefined
  const { origin, pathname, search, hash } = new URL(next, "http://ours")
  return origin === "http://ours" && !pathname.startsWith("//") ? pathname + search + hash : undefined
}

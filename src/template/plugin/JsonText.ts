/** JSON as text. */
import type { Json } from "./Plugin.ts"

/** The value as text for people or for a hash: integers beyond 2^53, which JSON.stringify refuses, as texts. */
export const jsonText = (value: Json): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${item}` : item))

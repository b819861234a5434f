/** JSON as text. */
import { ExactNumber } from "../../postgres/ExactJson.ts"
import type { Json } from "./Contract.ts"

/** The value as text for people or for a hash: integers beyond 2^53, which JSON.stringify refuses, as texts. */
export const jsonText = (value: Json): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${item}` : item))

/** An object that JSON.stringify writes as the digits of an integer, which it refuses itself. */
export const jsonInteger = (integer: bigint): object => new ExactNumber(`${integer}`)

/** Limits of config contexts: of each one, and of those that apply to one object. Pure. */
import { isDictionary } from "../Field.ts"

/** Largest data of a config context, and largest local context data, bytes of their JSON. */
const dataBytesMax = 256 * 1024

/** Most config contexts that apply to one object. */
export const contextsMax = 1000

/** Largest data that is merged for one object, bytes of JSON as Postgres writes it. */
export const mergedBytesMax = 1024 * 1024

/** Largest data of the config contexts of a page, each counted once. */
export const pageBytesMax = 16 * 1024 * 1024

/** The fault of the data of a context, undefined if it is valid. */
export const objectErrors = (data: unknown): string | undefined => {
  if (!isDictionary(data)) return 'JSON data must be in object form. Example: {"foo": 123}'
  const bytes = Buffer.byteLength(JSON.stringify(data))
  return bytes <= dataBytesMax
    ? undefined
    : `The JSON has ${bytes.toLocaleString("en")} bytes, and ${dataBytesMax.toLocaleString("en")} are the most.`
}

/** The same for the context of one object, which may be empty. */
export const localErrors = (data: unknown): string | undefined =>
  data === null || data === undefined || data === "" ? undefined : objectErrors(data)

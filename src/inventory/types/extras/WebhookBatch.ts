/** The field `batch` of a webhook: how many deliveries one request may hold, and how long they are gathered. */

export interface BatchPolicy {
  /** Most deliveries of a request. */
  readonly size: number
  /** How long deliveries wait for others, milliseconds. */
  readonly millis: number
  /** Whether only the newest event of each object is sent. */
  readonly isLatest: boolean
}

/** Most deliveries of a request that a webhook may have: they are logged together. */
const sizeMax = 500

/** Longest that a webhook may let deliveries wait for others, seconds. */
const secondsMax = 300

const known = new Set(["size", "seconds", "latest"])

/** Reads `{"size": 100, "seconds": 5, "latest": false}`; returns the error as a sentence otherwise. */
export const parseBatch = (input: unknown): BatchPolicy | string => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "A batch is an object."
  const { size, seconds, latest = false } = input as Readonly<Record<string, unknown>>
  const unknown = Object.keys(input).find((name) => !known.has(name))
  if (unknown !== undefined) return `${unknown} is not known for a batch: size, seconds, latest.`
  if (typeof size !== "number" || !Number.isInteger(size) || size < 1 || size > sizeMax) {
    return `size must be a whole number from 1 to ${sizeMax}.`
  }
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= secondsMax)) {
    return `seconds must be a number from 0 to ${secondsMax}.`
  }
  if (typeof latest !== "boolean") return "latest must be true or false."
  return { size, millis: seconds * 1000, isLatest: latest }
}

/** Returns the fault of a batch, or undefined. */
export const batchProblem = (input: unknown): string | undefined => {
  const policy = parseBatch(input)
  return typeof policy === "string" ? policy : undefined
}

/** The part of a request that a template gives, and its length. Pure. */

/** `text`: the body, or no part of a request; only the output limit of templates bounds it.
 * `nothing`: the template is checked, and not run. */
export type Part = "text" | "headers" | "address" | "nothing"

/**
 * Most characters of a part. The data that a template prints is hostile, and whoever gets its output works on the event
 * loop: a longer one does not leave the worker. Servers should take addresses of 8,000 bytes (RFC 9110, section 4.1).
 */
const partChars = { headers: 65_536, address: 8_192 } as const

/** Most characters of the value of one header: nginx and Apache take as many by default. */
export const headerChars = 8_192

/** The fault of a part of this length, or undefined. */
export const lengthProblem = (part: keyof typeof partChars, length: number): string | undefined =>
  length <= partChars[part]
    ? undefined
    : `The ${part} would have ${inDigits(length)} characters, and ${inDigits(partChars[part])} are the most.`

const inDigits = (count: number): string => count.toLocaleString("en")

/** Longest delay, seconds; also the longest that a receiver may request. */
export const delaySecondsMax = 7 * 86_400

/** The form of dates that RFC 9110 requires of senders: `Wed, 21 Oct 2015 07:28:00 GMT`. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** The delay of a `Retry-After` header, milliseconds; undefined if the header is not valid. */
export const retryAfter = (header: string | undefined, nowMillis: number): number | undefined => {
  const text = header?.trim() ?? ""
  if (/^\d+$/.test(text)) return Math.min(Number(text), delaySecondsMax) * 1000
  const date = httpDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(date - nowMillis, 0)
}

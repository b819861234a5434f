/** W3C trace context: `traceparent` as requests carry it. Pure. */

interface TraceParent {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  /** Whether its sender records the trace. */
  readonly sampled: boolean
}

/** Longest header that is read, characters: later versions may append to the 55 of version 00. */
const headerCharsMax = 256

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined for anything that the standard calls invalid; several headers are joined, and invalid too. */
export const parseTraceparent = (text: string | undefined): TraceParent | undefined => {
  if (text === undefined || text.length > headerCharsMax) return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = form.exec(text) ?? []
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (isZero(traceId) || isZero(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The header in version 00, with the one flag that is supported. */
export const formatTraceparent = ({ traceId, spanId, sampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`

/** The header as we pass it on, if it is valid. */
export const soundTraceparent = (text: string | undefined): string | undefined => {
  const parsed = parseTraceparent(text)
  return parsed && formatTraceparent(parsed)
}

export const isZero = (digits: string): boolean => /^0+$/.test(digits)

/**
 * The answer to one request, parsed from the bytes of its connection as they arrive (RFC 9112). Pure.
 *
 * Responsible for: the status, the headers, the beginning of the body, and where the answer ends. Guarantees: what is
 * kept is bounded, for any bytes in any pieces; an answer whose end is in doubt leaves its connection to no
 * other request. Does not: follow redirects, inflate, or decide what a status means.
 *
 * Receivers are lenient with each other, and so is this: a line may end without its carriage return, and an
 * informational answer (1xx) is skipped although it was not requested.
 */
import { textOf } from "./AnswerText.ts"
import { emptyRecord } from "../../inventory/Field.ts"
import { isHeaderName, isHeaderValue } from "../HeaderSyntax.ts"
import { AnswerFault } from "./AnswerFault.ts"
import { ChunkedBody } from "./ChunkedBody.ts"

/** Beginning of a body that is kept, bytes; the rest is not read. */
const keptBytesMax = 16 * 1024

/** Most bytes of the status line and headers of an answer. */
const headBytesMax = 16 * 1024

/** Informational answers before the one that counts. */
const informationalMax = 16

type AnswerHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Takes what belongs to the body; returns how many bytes that were, and whether the body has ended. */
interface Body {
  readonly take: (bytes: Buffer, keep: (part: Buffer) => void) => { readonly taken: number; readonly hasEnded: boolean }
}

export class AnswerReader {
  /** 0 until it is known. */
  status = 0
  headers: AnswerHeaders = {}
  /** How long the receiver keeps the connection, milliseconds; undefined where it does not say. */
  keepAliveMillis: number | undefined

  private head: Buffer = nothing
  /** Where its first line begins, and bytes in which its end was searched: they are not read again when more arrive. */
  private headBegin = 0
  private searched = 0
  private informational = 0
  private transfer: Body = untilTheEnd
  private readonly parts: Array<Buffer> = []
  private keptBytes = 0
  private hasEnded = false
  /** Whether it closes the connection, or leaves in doubt where it ends. */
  private isLast = true

  /** The beginning of the body. */
  get body(): string {
    const [first = nothing, ...others] = this.parts
    return textOf(others.length === 0 ? first : Buffer.concat(this.parts), this.headers["content-type"])
  }

  /** Whether another request may follow on its connection. */
  get isFollowed(): boolean {
    return this.hasEnded && !this.isLast
  }

  /** Whether more arrived than is kept. */
  get isEnough(): boolean {
    return this.keptBytes > keptBytesMax
  }

  /** Reads the next bytes; returns whether the answer is whole. Throws `AnswerFault`. */
  read(bytes: Buffer): boolean {
    let rest = this.status === 0 ? this.readHeads(bytes) : bytes
    while (this.status !== 0 && !this.hasEnded && rest.length > 0) {
      const { taken, hasEnded } = this.transfer.take(rest, this.keep)
      this.hasEnded = hasEnded
      rest = rest.subarray(taken)
    }
    // Unsolicited bytes after the response: do not reuse the connection.
    if (this.hasEnded && rest.length > 0) this.isLast = true
    return this.hasEnded
  }

  private readonly keep = (part: Buffer): void => {
    // A copy: it is a window on a buffer that may be much larger.
    if (this.keptBytes < keptBytesMax) this.parts.push(Buffer.from(part.subarray(0, keptBytesMax - this.keptBytes)))
    this.keptBytes += part.length
  }

  /** Reads heads up to that of the answer that counts; returns the bytes behind it. */
  private readHeads(bytes: Buffer): Buffer {
    let rest = this.head.length === 0 ? bytes : Buffer.concat([this.head, bytes])
    while (this.status === 0) {
      const begin = beginOf(rest, this.headBegin)
      const end = endOfHead(rest, Math.max(begin, this.searched))
      if ((end ?? rest.length) > headBytesMax) throw new AnswerFault("TooLarge", "The headers have no end.")
      if (end === undefined) {
        // Others may say something and then wait: they would not be understood before the deadline.
        const first = rest.toString("latin1", begin, begin + protocol.length)
        if (!protocol.startsWith(first)) fault(noStatusLine)
        // A copy, at most as often as it has bytes, each time of a few kilobytes.
        this.head = Buffer.from(rest)
        this.headBegin = begin
        this.searched = Math.max(rest.length - beforeEndBytes, 0)
        return nothing
      }
      this.begin(parseHead(rest.toString("latin1", begin, end)))
      rest = rest.subarray(end)
      this.headBegin = 0
      this.searched = 0
    }
    this.head = nothing
    return rest
  }

  private begin({ status, isLast, headers }: Head): void {
    if (status === 101) throw new AnswerFault("Reset", "The receiver switched to another protocol.")
    if (status < 200) {
      if (++this.informational <= informationalMax) return
      const message = `The receiver sent more than ${informationalMax} informational answers.`
      throw new AnswerFault("TooLarge", message)
    }
    this.status = status
    this.headers = headers
    const hasCoding = headers["transfer-encoding"] !== undefined
    const length = lengthOf(headers["content-length"])
    const isEmpty = status === 204 || status === 304
    this.keepAliveMillis = keptFor(headers["keep-alive"])
    // Where there must be no body, or two lengths of it, the receiver may be wrong about its end.
    this.isLast = isLast || (hasCoding && length !== undefined) || (isEmpty && (hasCoding || (length ?? 0) > 0))
    if (isEmpty || (length === 0 && !hasCoding)) this.hasEnded = true
    else if (hasCoding && isChunked(headers)) this.transfer = new ChunkedBody(headBytesMax)
    else if (length !== undefined && !hasCoding) this.transfer = ofLength(length)
    else this.isLast = true
  }
}

const nothing = Buffer.alloc(0)

const [newline, carriageReturn] = [0x0a, 0x0d]

/** Bytes of the end of a head that may have arrived, without its last one. */
const beforeEndBytes = 2

/** Where a head begins: behind empty lines, which reach `from` at least. */
const beginOf = (bytes: Buffer, from: number): number => {
  let at = from
  while (bytes[at] === newline || bytes[at] === carriageReturn) at += 1
  return at
}

/** Where a head ends, behind its empty line; undefined where that has not arrived. */
const endOfHead = (bytes: Buffer, from: number): number | undefined => {
  for (let at = bytes.indexOf(newline, from); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    if (bytes[at + 1] === newline) return at + 2
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === newline) return at + 3
  }
  return undefined
}

interface Head {
  readonly status: number
  /** Whether it says that the connection ends behind it. */
  readonly isLast: boolean
  readonly headers: AnswerHeaders
}

const protocol = "HTTP/1."

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/

/** Parses a head, which ends with an empty line. */
const parseHead = (text: string): Head => {
  const [first = "", ...lines] = text.trimEnd().split("\n").map(withoutReturn)
  const [, minor, code] = statusLine.exec(first) ?? fault(noStatusLine)
  const headers = emptyRecord<string | Array<string>>()
  for (const [at, line] of unfolded(lines).entries()) {
    const colon = line.indexOf(":")
    const name = line.slice(0, Math.max(colon, 0))
    if (!isHeaderName(name) || !isHeaderValue(line)) fault(`Header ${at + 1} of the answer is malformed.`)
    add(headers, name.toLowerCase(), withoutBlanks(line.slice(colon + 1)))
  }
  const wishes = listOf(headers["connection"])
  return {
    status: Number(code),
    isLast: wishes.includes("close") || (minor === "0" && !wishes.includes("keep-alive")),
    headers
  }
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line)

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"

/** Without the blanks around it. A pattern would scan a long run of blanks once for each of them. */
const withoutBlanks = (text: string): string => {
  let [from, until] = [0, text.length]
  while (isBlank(text[from])) from += 1
  while (until > from && isBlank(text[until - 1])) until -= 1
  return text.slice(from, until)
}

const noStatusLine = "The answer begins with no status line of HTTP/1.0 or HTTP/1.1."

/** No message repeats the answer: it may be an echo of the request, with its credentials, cut where no mask finds them. */
const fault = (message: string): never => {
  throw new AnswerFault("Protocol", message)
}

/** The lines of headers; one that begins with white space continues the one before it. */
const unfolded = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!lines.some(isFolded)) return lines
  const whole: Array<string> = []
  for (const line of lines) {
    if (isFolded(line) && whole.length > 0) whole.push(`${whole.pop()} ${withoutBlanks(line)}`)
    else whole.push(line)
  }
  return whole
}

const isFolded = (line: string): boolean => isBlank(line[0])

const add = (headers: Record<string, string | Array<string>>, name: string, value: string): void => {
  const before = headers[name]
  if (before === undefined) headers[name] = value
  else if (typeof before === "string") headers[name] = [before, value]
  else before.push(value)
}

type HeaderValue = AnswerHeaders[string]

/** The members of a header that is a list, in lower case. */
const listOf = (value: HeaderValue): ReadonlyArray<string> =>
  value === undefined
    ? []
    : [value]
        .flat()
        .flatMap((each) => each.split(","))
        .map((each) => each.trim().toLowerCase())

/** The length of a body, if there is one; the same one may appear twice. */
const lengthOf = (value: HeaderValue): number | undefined => {
  if (value === undefined) return undefined
  const [length = "", ...others] = new Set(listOf(value))
  if (others.length > 0 || !/^\d{1,15}$/.test(length)) fault("The Content-Length of the answer is invalid.")
  return Number(length)
}

const isChunked = (headers: AnswerHeaders): boolean => listOf(headers["transfer-encoding"]).at(-1) === "chunked"

/** How long `Keep-Alive: timeout=5` promises, milliseconds. */
const keptFor = (value: HeaderValue): number | undefined => {
  const seconds = value === undefined ? undefined : /(?:^|,)[\t ]*timeout=(\d{1,9})/i.exec(String(value))?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const untilTheEnd: Body = {
  take: (bytes, keep) => {
    keep(bytes)
    return { taken: bytes.length, hasEnded: false }
  }
}

const ofLength = (length: number): Body => {
  let left = length
  return {
    take: (bytes, keep) => {
      const taken = Math.min(left, bytes.length)
      keep(bytes.subarray(0, taken))
      left -= taken
      return { taken, hasEnded: left === 0 }
    }
  }
}

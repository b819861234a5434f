import { textOf } from "../../src/transport/exchange/AnswerText.ts"
import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import { AnswerReader } from "../../src/transport/exchange/AnswerReader.ts"
import { AnswerFault } from "../../src/transport/exchange/AnswerFault.ts"

interface Read {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: string
  readonly isWhole: boolean
  readonly isFollowed: boolean
}

/** Reads pieces until the answer is whole. */
const readPieces = (pieces: ReadonlyArray<Buffer>): Read | AnswerFault => {
  const answer = new AnswerReader()
  let isWhole = false
  try {
    for (const piece of pieces) isWhole ||= answer.read(piece)
  } catch (error) {
    if (error instanceof AnswerFault) return error
    throw error
  }
  const { status, headers, body, isFollowed } = answer
  return { status, headers: { ...headers }, body, isWhole, isFollowed }
}

const read = (text: string) => readPieces([Buffer.from(text, "latin1")])

/** Cuts bytes at these places. */
const cut = (bytes: Buffer, places: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  return [...ends, bytes.length].map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end))
}

const name = fc.stringMatching(/^x-[a-z]{1,8}$/)
const value = fc.stringMatching(/^[!-~\x80-\xff]([\t -~\x80-\xff]{0,20}[!-~\x80-\xff])?$/)
const lines = fc.array(fc.tuple(name, value), { maxLength: 5 })
const body = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("latin1"))

const headOf = (first: string, headers: ReadonlyArray<readonly [string, string]>, newline: string) =>
  [first, ...headers.map(([key, text]) => `${key}: ${text}`), "", ""].join(newline)

const inChunks = (text: string, sizes: ReadonlyArray<number>, newline: string) => {
  let [chunks, rest] = ["", text]
  for (const size of sizes) {
    const chunk = rest.slice(0, size)
    if (chunk !== "") chunks += `${chunk.length.toString(16)};x=y${newline}${chunk}${newline}`
    rest = rest.slice(size)
  }
  if (rest !== "") chunks += `${rest.length.toString(16).toUpperCase()}${newline}${rest}${newline}`
  return `${chunks}0${newline}trailer: x${newline}${newline}`
}

const answers = fc
  .record({
    newline: fc.constantFrom("\r\n", "\n"),
    before: fc.array(fc.tuple(fc.constantFrom(100, 102, 103), lines), { maxLength: 3 }),
    status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
    headers: lines,
    body,
    chunks: fc.option(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }))
  })
  .map(({ newline, before, status, headers, body, chunks }) => {
    const informational = before.map(([code, each]) => headOf(`HTTP/1.1 ${code} X`, each, newline)).join("")
    const framing =
      chunks === null ? (["Content-Length", `${body.length}`] as const) : (["transfer-encoding", "chunked"] as const)
    const head = headOf(`HTTP/1.1 ${status} Some Reason`, [...headers, framing], newline)
    const sent = informational + head + (chunks === null ? body : inChunks(body, chunks, newline))
    return { sent: Buffer.from(sent, "latin1"), status, headers, body: textOf(Buffer.from(body, "latin1"), undefined) }
  })

describe("an answer", () => {
  it("is read alike in whatever pieces it comes", () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat()), ({ sent, status, headers, body }, places) => {
        const whole = readPieces(cut(sent, places))
        expect(whole).toMatchObject({ status, body, isWhole: true, isFollowed: true })
        for (const [key, text] of headers) expect([(whole as Read).headers[key]].flat()).toContain(text)
      })
    )
  })

  it("is refused or read, and never kept beyond 16 KiB, whatever comes", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom(
          "HTTP/1.1 200 OK\r\n",
          "\r\n",
          "\n",
          "content-length: 5",
          "transfer-encoding: chunked",
          "3\r\nabc",
          ":",
          "0\r\n"
        )
        .map((text) => Buffer.from(text)),
      fc.integer({ min: 1, max: 40_000 }).map((size) => Buffer.alloc(size, "a"))
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const found = readPieces(pieces)
        const kept = found instanceof AnswerFault ? "" : found.body
        expect(Buffer.byteLength(kept, "latin1")).toBeLessThanOrEqual(16 * 1024)
      })
    )
  })

  it("is looked through once, though its head comes byte by byte", () => {
    const text = Buffer.from(`${"\r\n".repeat(500)}HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(2000)}\r\n`)
    let looks = 0
    const original = Buffer.prototype.indexOf
    Buffer.prototype.indexOf = function (...given: Parameters<typeof original>) {
      looks += 1
      return original.apply(this, given)
    }
    try {
      expect(
        readPieces(
          cut(
            text,
            Array.from(text, (_, at) => at)
          )
        )
      ).toMatchObject({ status: 200 })
    } finally {
      Buffer.prototype.indexOf = original
    }
    expect(looks).toBeLessThan(text.length * 3)
  })

  it("is kept up to 16 KiB of its body, however long its pieces are", () => {
    const chunk = `${(10_000).toString(16)}\r\n${"a".repeat(10_000)}\r\n`
    const { body } = read(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(3)}`) as Read
    expect(body).toBe("a".repeat(16 * 1024))
  })

  test.each<readonly [string, string, Partial<Read>]>([
    ["may come without a reason", "HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", { status: 200, isFollowed: true }],
    [
      "may come behind empty lines",
      "\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na",
      { body: "a", isFollowed: true }
    ],
    ["of 204 has no body", "HTTP/1.1 204 X\r\n\r\n", { status: 204, isWhole: true, isFollowed: true }],
    [
      "of 204 with a length may be wrong about its end",
      "HTTP/1.1 204 X\r\ncontent-length: 5\r\n\r\n",
      { isWhole: true, isFollowed: false }
    ],
    [
      "without a length lasts until the connection ends",
      "HTTP/1.1 200 X\r\n\r\nabc",
      { body: "abc", isWhole: false, isFollowed: false }
    ],
    [
      "in chunks and with a length goes by its chunks",
      "HTTP/1.1 200 X\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
      { body: "ab", isWhole: true, isFollowed: false }
    ],
    [
      "in a coding that is not known lasts until the connection ends",
      "HTTP/1.1 200 X\r\ntransfer-encoding: chunked, gzip\r\n\r\n2\r\nab",
      { body: "2\r\nab", isWhole: false }
    ],
    [
      "may tell its length twice",
      "HTTP/1.1 200 X\r\ncontent-length: 2, 2\r\ncontent-length: 2\r\n\r\nab",
      { body: "ab", isWhole: true }
    ],
    [
      "may close the connection",
      "HTTP/1.1 200 X\r\nConnection: Foo, Close\r\ncontent-length: 2\r\n\r\nab",
      { isWhole: true, isFollowed: false }
    ],
    [
      "of HTTP/1.0 closes the connection",
      "HTTP/1.0 200 X\r\ncontent-length: 2\r\n\r\nab",
      { isWhole: true, isFollowed: false }
    ],
    [
      "of HTTP/1.0 may keep it",
      "HTTP/1.0 200 X\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nab",
      { isFollowed: true }
    ],
    [
      "with more behind it is the last",
      "HTTP/1.1 200 X\r\ncontent-length: 2\r\n\r\nabHTTP/1.1 200 X\r\n",
      { body: "ab", isWhole: true, isFollowed: false }
    ],
    [
      "may fold a header",
      "HTTP/1.1 200 X\r\na: b\r\n \t c\r\ncontent-length: 0\r\n\r\n",
      { headers: { a: "b c", "content-length": "0" } }
    ],
    [
      "may repeat a header",
      "HTTP/1.1 200 X\r\nA: b\r\na:\tc \r\na:\r\ncontent-length: 0\r\n\r\n",
      { headers: { a: ["b", "c", ""], "content-length": "0" } }
    ]
  ])("%s", (_, sent, expected) => {
    expect(read(sent)).toMatchObject(expected)
  })

  test("may have headers that are called as what every object has", () => {
    const { headers } = read("HTTP/1.1 200 X\r\n__proto__: a\r\nconstructor: b\r\ncontent-length: 0\r\n\r\n") as Read
    expect(Object.entries(headers)).toContainEqual(["constructor", "b"])
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
  })

  test.each<readonly [string, string, AnswerFault["reason"]]>([
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "Protocol"],
    ["the beginning of another protocol", "H2", "Protocol"],
    ["another version of HTTP", "HTTP/2 200 OK\r\n\r\n", "Protocol"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", "Protocol"],
    ["a status that begins with 0", "HTTP/1.1 020 OK\r\n\r\n", "Protocol"],
    ["a line without a colon", "HTTP/1.1 200 OK\r\nabc\r\n\r\n", "Protocol"],
    ["a name with a blank", "HTTP/1.1 200 OK\r\na : b\r\n\r\n", "Protocol"],
    ["a folded line before every header", "HTTP/1.1 200 OK\r\n a: b\r\n\r\n", "Protocol"],
    ["a control character", "HTTP/1.1 200 OK\r\na: b\0c\r\n\r\n", "Protocol"],
    ["a carriage return within a line", "HTTP/1.1 200 OK\r\na: b\rc: d\r\n\r\n", "Protocol"],
    ["a negative length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", "Protocol"],
    ["an empty length", "HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\n", "Protocol"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1, 2\r\n\r\n", "Protocol"],
    ["a chunk without a size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n;a\r\n", "Protocol"],
    ["a chunk of a negative size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1", "Protocol"],
    [
      "a chunk of more than there can be",
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"f".repeat(13)}`,
      "Protocol"
    ],
    ["more than a chunk's size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab", "Protocol"],
    [
      "an extension without end",
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${"a".repeat(2000)}`,
      "Protocol"
    ],
    [
      "trailers without end",
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${"a: b\r\n".repeat(4000)}`,
      "TooLarge"
    ],
    ["headers without end", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(4000)}`, "TooLarge"],
    ["empty lines without end", "\r\n".repeat(10_000), "TooLarge"],
    ["informational answers without end", "HTTP/1.1 102 X\r\n\r\n".repeat(17), "TooLarge"],
    ["a switch to another protocol", "HTTP/1.1 101 X\r\nupgrade: x\r\n\r\n", "Reset"]
  ])("is not %s", (_, sent, reason) => {
    expect(read(sent)).toMatchObject({ reason, message: expect.stringMatching(/./) as string })
  })
})

describe("the text of a body", () => {
  test.each([
    ["as UTF-8", Buffer.from("Ort ä"), undefined, "Ort ä"],
    ["as UTF-8 that is cut within a character", Buffer.from("Ort ä€").subarray(0, -1), undefined, "Ort ä\ufffd"],
    ["as Latin-1 where it is no UTF-8", Buffer.from("Ort ä!", "latin1"), "text/plain", "Ort ä!"],
    ["as Latin-1 where it says so", Buffer.from("Ã¤", "latin1"), "text/plain; charset=ISO-8859-1", "Ã¤"],
    ["as what it says", Buffer.from("aä", "utf16le"), 'text/plain; charset="utf-16le"', "aä"],
    ["as UTF-8 where it names no charset", Buffer.from("ä"), "text/plain; charset=klingon", "ä"]
  ])("is read %s", (_name, bytes, type, text) => {
    expect(textOf(bytes, type)).toBe(text)
  })
})

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CaptureError } from "../../src/capture/CaptureError.ts"
import { Frames } from "../../src/capture/wal/Frames.ts"

interface Message {
  readonly tag: number
  readonly body: string
}

const header = (tag: number, length: number): Buffer => {
  const bytes = Buffer.alloc(5)
  bytes[0] = tag
  bytes.writeInt32BE(length, 1)
  return bytes
}

const wire = ({ tag, body }: Message): Buffer =>
  Buffer.concat([header(tag, 4 + body.length / 2), Buffer.from(body, "hex")])

const stream = (messages: ReadonlyArray<Message>): Buffer => Buffer.concat(messages.map(wire))

/** The messages that come out of the chunks, and how many had come out after each chunk. */
const read = (chunks: ReadonlyArray<Buffer>) => {
  const frames = new Frames()
  const messages: Array<Message> = []
  const counts = chunks.map((chunk) => {
    frames.push(chunk, (tag, bytes, start, end) => messages.push({ tag, body: bytes.toString("hex", start, end) }))
    return messages.length
  })
  return { messages, counts }
}

const cut = (bytes: Buffer, places: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const edges = [0, ...[...places].sort((a, b) => a - b), bytes.length]
  return edges.slice(1).map((edge, at) => bytes.subarray(edges[at], edge))
}

const message: fc.Arbitrary<Message> = fc.record({
  tag: fc.nat(255),
  body: fc.uint8Array({ maxLength: 24 }).map((bytes) => Buffer.from(bytes).toString("hex"))
})

const messages = fc.array(message, { maxLength: 8 })

describe("a stream of messages", () => {
  test("comes out whole when it is cut in two at any point", () => {
    fc.assert(
      fc.property(messages, (sent) => {
        const bytes = stream(sent)
        for (let at = 0; at <= bytes.length; at++) expect(read(cut(bytes, [at])).messages).toEqual(sent)
      })
    )
  })

  test("comes out whole when it is cut at any number of points, empty chunks among the pieces", () => {
    const cutStream = messages.chain((sent) =>
      fc.tuple(fc.constant(sent), fc.array(fc.nat(stream(sent).length), { maxLength: 12 }))
    )
    fc.assert(
      fc.property(cutStream, ([sent, places]) => {
        expect(read(cut(stream(sent), places)).messages).toEqual(sent)
      })
    )
  })

  test("comes out whole when every chunk is one byte", () => {
    fc.assert(
      fc.property(messages, (sent) => {
        const bytes = stream(sent)
        const bytewise = cut(
          bytes,
          Array.from({ length: bytes.length }, (_, at) => at)
        )
        expect(read(bytewise).messages).toEqual(sent)
      })
    )
  })

  test("emits a message with the chunk that completes it", () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 6 }), fc.nat(4), (sent, early) => {
        const ends = sent.map((_, at) => stream(sent.slice(0, at + 1)).length)
        // Each message ends a chunk; the one after it has begun to arrive or not.
        const places = ends.flatMap((end) => [Math.max(end - 1 - early, 0), end])
        const { counts } = read(cut(stream(sent), places))
        const edges = [...[...places].sort((a, b) => a - b), stream(sent).length]
        expect(counts).toEqual(edges.map((edge) => ends.filter((end) => end <= edge).length))
      })
    )
  })

  test("keeps a message whole that spans many chunks, and the ones around it", () => {
    const large = { tag: 100, body: "5a".repeat(300_000) }
    const small = { tag: 90, body: "49" }
    const sent = [small, large, small, large, small]
    const bytes = stream(sent)
    const chunkSize = 1021
    const places = Array.from({ length: Math.floor(bytes.length / chunkSize) }, (_, at) => at * chunkSize)
    expect(read(cut(bytes, places)).messages).toEqual(sent)
  })
})

describe("a length that no message has", () => {
  const refused = (length: number, split: number, following = 8) => {
    const bytes = Buffer.concat([wire({ tag: 90, body: "49" }), header(100, length), Buffer.alloc(following)])
    const frames = new Frames()
    const seen: Array<number> = []
    try {
      for (const chunk of cut(bytes, [split])) frames.push(chunk, (tag) => seen.push(tag))
      return { error: undefined, seen }
    } catch (error) {
      return { error, seen }
    }
  }

  test("is refused as a protocol error, wherever the stream is cut, after the messages before it", () => {
    const lengths = fc.oneof(
      fc.integer({ min: -(2 ** 31), max: 3 }),
      fc.integer({ min: 2 ** 30 + 1, max: 2 ** 31 - 1 })
    )
    fc.assert(
      fc.property(lengths, fc.nat(19), (length, split) => {
        const { error, seen } = refused(length, split)
        expect(error).toBeInstanceOf(CaptureError)
        expect(error).toMatchObject({ reason: "Protocol", message: `a message of ${length} bytes`, mayRetry: false })
        expect(seen).toEqual([90])
      })
    )
  })

  test("is neither that of a message without a body nor that of the largest one", () => {
    expect(refused(4, 8, 0)).toEqual({ error: undefined, seen: [90, 100] })
    expect(refused(2 ** 30, 8)).toEqual({ error: undefined, seen: [90] })
  })
})

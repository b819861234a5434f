/** A body in chunks (RFC 9112, 7.1), parsed from bytes as they arrive. Pure. */
import { AnswerFault } from "./AnswerFault.ts"

/** Most characters of the line before a chunk: its size, and extensions that nobody uses. */
const sizeLineMax = 1024

/** The beginning of that line. A size of 12 digits is more than anybody sends, and a whole number. */
const beginsSize = /^[0-9a-f]{0,12}[\t ]*(?:;|\r?$)/i

const newline = 0x0a

type Part = "size" | "data" | "behind data" | "trailers"

export class ChunkedBody {
  private readonly trailerBytesMax: number
  private part: Part = "size"
  /** The line that is being read, without its end. */
  private line = ""
  /** Bytes of the chunk that have not arrived. */
  private left = 0
  private trailerBytes = 0

  constructor(trailerBytesMax: number) {
    this.trailerBytesMax = trailerBytesMax
  }

  /** Takes what belongs to the body; returns how many bytes that were, and whether the body has ended. */
  take(bytes: Buffer, keep: (part: Buffer) => void): { readonly taken: number; readonly hasEnded: boolean } {
    let at = 0
    while (at < bytes.length) {
      if (this.part === "data") {
        const end = Math.min(at + this.left, bytes.length)
        keep(bytes.subarray(at, end))
        this.left -= end - at
        at = end
        if (this.left === 0) this.part = "behind data"
      } else {
        const end = bytes.indexOf(newline, at)
        const until = end < 0 ? bytes.length : end
        this.append(bytes, at, until)
        at = until
        if (end < 0) break
        at += 1
        if (this.endLine()) return { taken: at, hasEnded: true }
      }
    }
    return { taken: at, hasEnded: false }
  }

  private append(bytes: Buffer, from: number, until: number): void {
    if (this.part === "trailers") {
      this.trailerBytes += until - from
      if (this.trailerBytes > this.trailerBytesMax) throw new AnswerFault("TooLarge", "The trailers have no end.")
    }
    this.line += bytes.toString("latin1", from, until)
    // Also where its end has not arrived: a line that is invalid by now stays invalid.
    if (this.part === "size" && (this.line.length > sizeLineMax || !beginsSize.test(this.line))) this.refuse()
    if (this.part === "behind data" && !/^\r?$/.test(this.line)) this.refuse()
  }

  /** Reads a whole line; returns whether it ends the body. */
  private endLine(): boolean {
    const { line, part } = this
    this.line = ""
    if (part === "trailers") return line === "" || line === "\r"
    if (part === "behind data") this.part = "size"
    else {
      this.left = Number.parseInt(line, 16)
      if (Number.isNaN(this.left)) this.refuse()
      this.part = this.left === 0 ? "trailers" : "data"
    }
    return false
  }

  private refuse(): never {
    throw new AnswerFault("Protocol", "The answer has an invalid chunk.")
  }
}

/** Postgres' wire protocol: a stream of bytes, cut anywhere, into messages. */
import { CaptureError } from "../CaptureError.ts"

/** Called with the tag and the body, which lies in `bytes` from `start` to `end`; it is gone after the call. */
export type OnMessage = (tag: number, bytes: Buffer, start: number, end: number) => void

/** Largest message, bytes. A row of Postgres has at most 1 GB; a larger length means that we lost the thread. */
const messageBytesMax = 1 << 30

export class Frames {
  private parts: Array<Buffer> = []
  private held = 0
  private needed = 0

  /** Calls back for every message that is complete with this chunk. */
  push(chunk: Buffer, onMessage: OnMessage): void {
    let bytes = chunk
    if (this.held > 0) {
      this.parts.push(chunk)
      this.held += chunk.length
      if (this.held < this.needed) return
      bytes = Buffer.concat(this.parts, this.held)
      this.parts = []
      this.held = 0
    }
    let at = 0
    while (bytes.length - at >= 5) {
      const length = bytes.readInt32BE(at + 1)
      if (length < 4 || length > messageBytesMax) {
        throw new CaptureError({ reason: "Protocol", message: `a message of ${length} bytes` })
      }
      const end = at + 1 + length
      if (end > bytes.length) break
      onMessage(bytes[at]!, bytes, at + 5, end)
      at = end
    }
    if (at < bytes.length) this.hold(bytes.subarray(at))
  }

  private hold(rest: Buffer): void {
    this.parts = [rest]
    this.held = rest.length
    this.needed = rest.length < 5 ? 5 : 1 + rest.readInt32BE(1)
  }
}

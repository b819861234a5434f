/** Cuts the byte stream of Postgres' wire protocol into messages. */
import { CaptureError } from "../CaptureError.ts"

/** Called with the tag and the body, which is `bytes` from `start` to `end`; a handler may keep the bytes. */
export type OnMessage = (tag: number, bytes: Buffer, start: number, end: number) => void

/** Largest message, bytes. A row of Postgres has at most 1 GB; a larger length means that framing failed. */
const messageBytesMax = 1 << 30

export class Frames {
  private parts: Array<Buffer> = []
  private bufferedBytes = 0
  private neededBytes = 0

  /** Calls back for every message that is complete with this chunk. */
  push(chunk: Buffer, onMessage: OnMessage): void {
    let bytes = chunk
    if (this.bufferedBytes > 0) {
      this.parts.push(chunk)
      this.bufferedBytes += chunk.length
      if (this.bufferedBytes < this.neededBytes) return
      bytes = Buffer.concat(this.parts, this.bufferedBytes)
      this.parts = []
      this.bufferedBytes = 0
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
    if (at < bytes.length) this.buffer(bytes.subarray(at))
  }

  private buffer(rest: Buffer): void {
    this.parts = [rest]
    this.bufferedBytes = rest.length
    this.neededBytes = rest.length < 5 ? 5 : 1 + rest.readInt32BE(1)
  }
}

/** One request and the bounded beginning of its answer, as undici's dispatcher reports them. */
import type { Dispatcher } from "undici"
import type { Response } from "../outcome/Outcome.ts"

/** Beginning of a response that is kept, bytes; the rest is not read. */
const responseBytesMax = 16 * 1024

/** Informational answers (1xx) before the one that counts. */
const informationalMax = 16

export class Exchange implements Dispatcher.DispatchHandler {
  /**
   * Called once, with the error when there is no answer. Once a status was read there is one: the receiver has decided,
   * and what was read of the body before the connection ended is kept.
   */
  onDone: (error: Error | undefined) => void = () => {}
  /** Called once when the connection is free for another request: behind `onDone`, or when what was aborted has ended. */
  onReleased: () => void = () => {}
  headers: Readonly<Record<string, string | Array<string> | undefined>> = {}
  /** Times by `performance.now()`: when it was asked for, written to the socket, first answered, and read to its end. */
  readonly began = performance.now()
  written: number | undefined
  firstByte: number | undefined
  ended: number | undefined

  private status = 0
  private size = 0
  private informational = 0
  private readonly chunks: Array<Buffer> = []
  private controller: Dispatcher.DispatchController | undefined
  private aborted: Error | undefined
  private done = false

  response(): Response {
    const { status, headers } = this
    return { status, headers, body: Buffer.concat(this.chunks).subarray(0, responseBytesMax).toString("utf8") }
  }

  /** Ends the request and its connection; a request that has not begun ends when it would begin. */
  abort(error: Error): void {
    this.aborted = error
    this.controller?.abort(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    this.written = performance.now()
    if (this.aborted !== undefined) controller.abort(this.aborted)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Exchange["headers"]): void {
    this.firstByte ??= performance.now()
    if (status < 200) {
      if (++this.informational > informationalMax) this.abort(new AnswerWithoutEnd())
      return
    }
    this.status = status
    this.headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // A copy: the chunk is a window on a buffer that may be much larger.
    this.chunks.push(Buffer.from(chunk.subarray(0, responseBytesMax - this.size)))
    this.size += chunk.length
    if (this.size <= responseBytesMax) return
    this.finish(undefined)
    controller.abort(new Error("Enough was read."))
  }

  onResponseEnd(): void {
    this.finish(undefined)
    this.onReleased()
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    // Of undici, if what came is no HTTP.
    const isAnswered = this.status > 0 && error.name !== "HTTPParserError"
    this.finish(isAnswered ? undefined : error)
    this.onReleased()
  }

  private finish(error: Error | undefined): void {
    if (this.done) return
    this.done = true
    this.ended = performance.now()
    this.onDone(error)
  }
}

class AnswerWithoutEnd extends Error {
  readonly code = "ERR_ANSWER_WITHOUT_END"

  constructor() {
    super(`The receiver sent more than ${informationalMax} informational answers.`)
  }
}

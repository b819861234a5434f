/** One request and its answer, with the times of its steps. A connection carries it (Connection.ts). */
import type { Response } from "../../event/Outcome.ts"
import { AnswerReader } from "./AnswerReader.ts"
import { AnswerFault } from "./AnswerFault.ts"

export class Exchange {
  /**
   * Called once, with the error when there is no answer. Once a status was read there is one: the receiver has decided,
   * and what was read of the body before the connection ended is kept.
   */
  onDone: (error: Error | undefined) => void = () => {}
  /** Ends the connection that carries it. */
  onAbort: (error: Error) => void = () => {}
  readonly answer = new AnswerReader()
  /** Times by `performance.now()`: when it was requested, written to the socket, first answered, and read to its end. */
  readonly began = performance.now()
  written: number | undefined
  firstByte: number | undefined
  ended: number | undefined

  response(): Response {
    const { status, headers, body } = this.answer
    return { status, headers, body }
  }

  /** Ends the request and its connection. */
  abort(error: Error): void {
    if (this.ended === undefined) this.onAbort(error)
    this.done(error)
  }

  /** Reads the next bytes of the answer; returns whether it needs no more of them. */
  read(bytes: Buffer): boolean {
    this.firstByte ??= performance.now()
    try {
      if (!this.answer.read(bytes) && !this.answer.isEnough) return false
      this.done(undefined)
    } catch (error) {
      // The error of an answer that cannot be understood outweighs its status.
      this.done(error as Error)
    }
    return true
  }

  /** The connection has ended, perhaps in an error. */
  cutOff(error: Error | undefined): void {
    if (this.answer.status > 0) this.done(undefined)
    else this.done(error ?? new AnswerFault("Reset", "The receiver closed the connection without an answer."))
  }

  private done(error: Error | undefined): void {
    if (this.ended !== undefined) return
    this.ended = performance.now()
    this.onDone(error)
  }
}

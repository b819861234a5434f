/** The bytes of a receiver are no answer, or one without end. `reason` as in `Failure`. */
export class AnswerFault extends Error {
  readonly reason: "Protocol" | "TooLarge" | "Reset"

  constructor(reason: AnswerFault["reason"], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Why a file cannot be imported: wrong (400), or larger than the limits (413). The message names the place. */
export class FileFault extends Error {
  readonly isTooLarge: boolean

  constructor(message: string, isTooLarge = false) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

/** The message of what a parser threw. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const tooLarge = (message: string): FileFault => new FileFault(message, true)

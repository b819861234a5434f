/** Why a file cannot be imported: wrong (400), or larger than the limits (413). The message names the place. */
export class FileFault extends Error {
  readonly isTooLarge: boolean
  /** The line of the file, where the fault has one. */
  readonly line: number | undefined

  constructor(
    message: string,
    { isTooLarge = false, line }: { readonly isTooLarge?: boolean; readonly line?: number } = {}
  ) {
    super(message)
    this.isTooLarge = isTooLarge
    this.line = line
  }
}

/** The message of what a parser threw. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const tooLarge = (message: string, line?: number): FileFault =>
  new FileFault(message, { isTooLarge: true, ...(line !== undefined && { line }) })

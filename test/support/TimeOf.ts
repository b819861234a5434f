/**
 * Time that a test controls, for one file of the product alone. A service that other test files share may run in the same
 * worker: on a clock that jumps its connections would count as dead.
 */

/** Replaces `performance.now()` where this file reads it; returns the function that ends that. */
export const replaceTimeOf = (file: string, now: () => number): (() => void) => {
  const original = performance.now
  const isOfFile = callsOf(file)
  performance.now = () => (isOfFile() ? now() : original.call(performance))
  return () => {
    performance.now = original
  }
}

/** Whether the function that calls was called by the file. */
export const callsOf = (file: string): (() => boolean) => {
  const { stackTraceLimit } = Error
  return () => {
    Error.stackTraceLimit = 4
    const { stack = "" } = new Error("for its stack")
    Error.stackTraceLimit = stackTraceLimit
    return stack.includes(file)
  }
}

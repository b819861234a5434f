/**
 * The services that run in this worker. A file that fails may leave some behind: they are stopped after it, unless files
 * share them. The end of their logs is shown with each failure.
 */
interface Running {
  readonly output: () => string
  readonly stop: () => Promise<void>
  readonly outlivesFile: boolean
}

export const running = new Set<Running>()

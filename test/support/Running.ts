/**
 * The services that run in this worker. A file that fails may leave some behind: they are stopped after it, and the end
 * of their logs is shown with each failure.
 */
import { appendFileSync } from "node:fs"

interface Running {
  readonly output: () => string
  readonly stop: () => Promise<void>
}

export const running = new Set<Running>()

/** Counts a start for the report of the run. Outside of a run nothing counts. */
export const countStart = (kind: "process" | "in-process"): void => {
  const ledger = process.env["RACKWIRE_TEST_LEDGER"]
  if (ledger !== undefined) appendFileSync(ledger, `${JSON.stringify({ start: kind })}\n`)
}

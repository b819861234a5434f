/**
 * With `npm run test:coverage` a worker writes its coverage when the run asks it to stop, and only then answers: half a
 * second after the answer the run kills it, and coverage that it had not written by then was lost.
 */
import { takeCoverage } from "node:v8"

if (process.env["NODE_V8_COVERAGE"] !== undefined) {
  process.prependListener("message", (message: unknown) => {
    if ((message as { readonly type?: unknown } | null)?.type === "stop") takeCoverage()
  })
}

/** The program `rackwire`: a command, and the exit code of its process. */
import { constants } from "node:os"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit } from "effect"
import { rackwire } from "./command/service/Rackwire.ts"

// A full disk behind the output, or `rackwire check | head`, whose reader closes the pipe: the process continues without.
for (const [stream, other] of [
  [process.stdout, process.stderr],
  [process.stderr, process.stdout]
] as const) {
  stream.once("error", (error: NodeJS.ErrnoException) => {
    stream.on("error", () => {})
    if (error.code !== "EPIPE")
      other.write(`rackwire: output cannot be written, continuing without it: ${error.message}\n`)
  })
}

let stoppedBy: "SIGINT" | "SIGTERM" = "SIGINT"
process.once("SIGTERM", () => (stoppedBy = "SIGTERM"))

/** The exit code of an interrupted command, as shells have it; commands that run until they are stopped have set theirs. */
const interruptedCode = () => process.exitCode ?? 128 + constants.signals[stoppedBy]

rackwire(process.argv.slice(2)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      const isInterrupted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      onExit(isInterrupted ? Number(interruptedCode()) : Exit.isSuccess(exit) ? 0 : 1)
    }
  })
)

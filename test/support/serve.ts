/**
 * `rackwire serve` at another pace: `node serve.ts serve --roles api,deliver`. TEST_PACE is the factor of every time constant,
 * 1 if it is not set. The product itself has no such option.
 */
import { parseArgs } from "node:util"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { Pace, scaledPace } from "../../src/Pace.ts"
import { type Role, roles, service } from "../../src/Service.ts"
import { inWords } from "../../src/Telemetry.ts"

const { values } = parseArgs({
  allowPositionals: true,
  options: { roles: { type: "string", default: roles.join(",") } }
})
const chosen = values.roles.split(",") as ReadonlyArray<Role>
const pace = scaledPace(Number(process.env["TEST_PACE"] ?? 1))

/** Prints expected errors as a sentence, and defects with a stack trace, like main.ts. */
const report = (cause: Cause.Cause<unknown>) =>
  Effect.forEach(cause.reasons, (reason) => {
    if (Cause.isInterruptReason(reason)) return Effect.void
    return Console.error(Cause.isFailReason(reason) ? `rackwire: ${inWords(reason.error)}` : Cause.pretty(cause))
  })

Layer.launch(service(chosen, (url) => Console.log(`ready ${url}`)).pipe(Layer.provide(Layer.succeed(Pace, pace)))).pipe(
  Effect.tapCause(report),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    // An interruption is a request to stop, not a failure.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)

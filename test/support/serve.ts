/**
 * The program `rackwire` at another pace: TEST_PACE is the factor of every time constant. The product itself has no such
 * option.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit } from "effect"
import { rackwire } from "../../src/command/service/Rackwire.ts"
import { Pace, scaledPace } from "../../src/eventloop/Pace.ts"

rackwire(process.argv.slice(2)).pipe(
  Effect.provideService(Pace, scaledPace(Number(process.env["TEST_PACE"]))),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    // An interruption is a request to stop, not a failure.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)

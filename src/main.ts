/** The command line of `rackwire`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit } from "effect"
import { CliError, Command } from "effect/cli"
import { version } from "./Config.ts"
import { inWords } from "./Telemetry.ts"

/** Each is loaded when it is named: most need a part of the thousand modules of the service. */
const commands = {
  serve: async () => (await import("./command/Serve.ts")).serve,
  webhook_receiver: async () => (await import("./command/WebhookReceiver.ts")).webhookReceiver,
  migrate: async () => (await import("./command/Migrate.ts")).migrate,
  createsuperuser: async () => (await import("./command/CreateSuperuser.ts")).createSuperuser,
  check: async () => (await import("./command/Check.ts")).check,
  replay: async () => (await import("./command/Replay.ts")).replay,
  gaps: async () => (await import("./command/Gaps.ts")).gaps,
  restored: async () => (await import("./command/Restored.ts")).restored,
  mcp: async () => (await import("./command/Mcp.ts")).mcp,
  demo: async () => (await import("./command/Demo.ts")).demo
}

/** The named command; all of them for the help, a completion, or a name that is none. */
const named = Object.entries(commands).filter(([name]) => name === process.argv[2])
const loaded = await Promise.all((named.length > 0 ? named : Object.entries(commands)).map(([, load]) => load()))

const rackwire = Command.make("rackwire").pipe(
  Command.withDescription("An infrastructure inventory whose webhooks can be relied on."),
  Command.withSubcommands(loaded)
)

/** Prints expected errors as a sentence, and defects with a stack trace. */
const report = (cause: Cause.Cause<unknown>) =>
  Effect.forEach(cause.reasons, (reason) => {
    if (Cause.isInterruptReason(reason) || (Cause.isFailReason(reason) && CliError.isCliError(reason.error)))
      return Effect.void
    return Console.error(Cause.isFailReason(reason) ? `rackwire: ${inWords(reason.error)}` : Cause.pretty(cause))
  })

// `rackwire check | head`: a reader that has read enough closes the pipe. The command goes on without it.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
})

rackwire.pipe(
  Command.run({ version }),
  Effect.tapCause(report),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    // An interruption is a request to stop, not a failure.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)

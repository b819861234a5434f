/** The command line of `rackwire`. Service.ts makes a service of the stages. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { version } from "./Config.ts"
import { type Role, roles, service } from "./Service.ts"
import { inWords } from "./Telemetry.ts"
import { check } from "./command/Check.ts"
import { createSuperuser } from "./command/CreateSuperuser.ts"
import { demo } from "./command/Demo.ts"
import { gaps } from "./command/Gaps.ts"
import { mcp } from "./command/Mcp.ts"
import { migrate } from "./command/Migrate.ts"
import { replay } from "./command/Replay.ts"
import { restored } from "./command/Restored.ts"
import { webhookReceiver } from "./command/WebhookReceiver.ts"

const parseRoles = (text: string): ReadonlyArray<Role> => {
  const names = text.split(",").map((name) => name.trim())
  if (!names.every((name) => roles.includes(name as Role))) throw new Error(`some of ${roles.join(",")}, not "${text}"`)
  return names as ReadonlyArray<Role>
}

/** Frees the objects that only the start needed, a third of the memory: V8 would keep them until the heap has grown. */
const collectGarbage = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  ;(runInNewContext("gc") as () => void)()
})

const serve = Command.make(
  "serve",
  {
    roles: Flag.String("roles").pipe(
      Flag.withDescription(`Roles of the process, separated by commas (default: ${roles.join(",")})`),
      Flag.withDefault(roles.join(",")),
      Flag.mapTryCatch(parseRoles, (error) => (error as Error).message)
    )
  },
  ({ roles }) => Layer.launch(service(roles, (url) => Effect.andThen(collectGarbage, Console.log(`ready ${url}`))))
).pipe(Command.withDescription("Run the service."))

const rackwire = Command.make("rackwire").pipe(
  Command.withDescription("An infrastructure inventory whose webhooks can be relied on."),
  Command.withSubcommands([serve, webhookReceiver, migrate, createSuperuser, check, replay, gaps, restored, mcp, demo])
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

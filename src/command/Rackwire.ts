/** The command line: `rackwire <command> …`. */
import { Cause, Console, Effect } from "effect"
import { CliError, Command } from "effect/cli"
import { version } from "../Config.ts"
import { inWords } from "../telemetry/Telemetry.ts"

/** Each is loaded when it is named: most need a part of the thousand modules of the service. */
const commands = {
  serve: async () => (await import("./Serve.ts")).serve,
  webhook_receiver: async () => (await import("./WebhookReceiver.ts")).webhookReceiver,
  migrate: async () => (await import("./Migrate.ts")).migrate,
  createsuperuser: async () => (await import("./CreateSuperuser.ts")).createSuperuser,
  check: async () => (await import("./Check.ts")).check,
  replay: async () => (await import("./Replay.ts")).replay,
  gaps: async () => (await import("./Gaps.ts")).gaps,
  restored: async () => (await import("./Restored.ts")).restored,
  mcp: async () => (await import("./Mcp.ts")).mcp,
  demo: async () => (await import("./Demo.ts")).demo
}

/** The named command; all of them for the help, a completion, or a name that is none. */
const load = (name: string | undefined) => {
  const named = Object.entries(commands).filter(([each]) => each === name)
  return Promise.all((named.length > 0 ? named : Object.entries(commands)).map(([, load]) => load()))
}

/** Prints expected errors as a sentence, and defects with a stack trace. */
const report = (cause: Cause.Cause<unknown>) =>
  Effect.forEach(cause.reasons, (reason) => {
    if (Cause.isInterruptReason(reason) || (Cause.isFailReason(reason) && CliError.isCliError(reason.error)))
      return Effect.void
    return Console.error(Cause.isFailReason(reason) ? `rackwire: ${inWords(reason.error)}` : Cause.pretty(cause))
  })

/** Runs the command that the arguments name. A failure is printed before the effect fails with it. */
export const rackwire = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const subcommands = yield* Effect.promise(() => load(args[0]))
    const command = Command.make("rackwire").pipe(
      Command.withDescription("An infrastructure inventory whose webhooks can be relied on."),
      Command.withSubcommands(subcommands)
    )
    yield* Command.runWith(command, { version })(args)
  }).pipe(Effect.tapCause(report))

/** The command line: `rackwire <command> …`. */
import { parse } from "node:path"
import { Cause, Console, Effect } from "effect"
import { CliError, Command } from "effect/cli"
import { version } from "../../Config.ts"
import { optionNear } from "../../ShownOptions.ts"
import { entriesOf, modulesBelow } from "../../Folder.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import type { Entry } from "./Entry.ts"

const folder = new URL("../", import.meta.url)

/** `webhook_receiver` is in WebhookReceiver.ts, like every command in the file of its name. */
const isNamed = (module: string, name: string): boolean => parse(module).name.toLowerCase() === name.replaceAll("_", "")

/**
 * The named command; all of them for the help, a completion, or a name that is none. One alone is loaded where it is
 * named: most need a part of the thousand modules of the service.
 */
export const commands = async (name = ""): Promise<ReadonlyArray<Entry>> => {
  const modules = modulesBelow(folder).filter((module) => !module.includes("/"))
  const named = await entriesOf<Entry>(
    folder,
    modules.filter((module) => isNamed(module, name))
  )
  return named.length > 0 ? named : entriesOf<Entry>(folder, modules)
}

/** A sentence for each flag whose name is that of an option: options are set in the environment. */
const optionHints = (error: CliError.CliError, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const errors = error._tag === "ShowHelp" ? error.errors : [error]
  return errors.flatMap((each) => {
    if (each._tag !== "UnrecognizedOption") return []
    const option = optionNear(each.option.replace(/^-+/, "").replaceAll("-", "_"))
    const example = `${option}=… rackwire ${args[0]}`
    return option === undefined ? [] : [`${each.option}: ${option} is set in the environment: ${example}`]
  })
}

/** Prints expected errors as a sentence, and defects with a stack trace. */
const report = (args: ReadonlyArray<string>) => (cause: Cause.Cause<unknown>) =>
  Effect.forEach(cause.reasons, (reason) => {
    if (Cause.isInterruptReason(reason)) return Effect.void
    if (Cause.isFailReason(reason) && CliError.isCliError(reason.error))
      return Effect.forEach(optionHints(reason.error, args), (hint) => Console.error(`rackwire: ${hint}`))
    return Console.error(Cause.isFailReason(reason) ? `rackwire: ${inWords(reason.error)}` : Cause.pretty(cause))
  })

/** Runs the command that the arguments name. A failure is printed before the effect fails with it. */
export const rackwire = (typed: ReadonlyArray<string>) => {
  const args = typed[0] === "help" ? [...typed.slice(1), "--help"] : typed
  return Effect.gen(function* () {
    const subcommands = yield* Effect.promise(() => commands(args[0]))
    const command = Command.make("rackwire").pipe(
      Command.withDescription("An infrastructure inventory whose webhooks can be relied on."),
      Command.withSubcommands(subcommands)
    )
    yield* Command.runWith(command, { version })(args)
  }).pipe(Effect.tapCause(report(args)))
}

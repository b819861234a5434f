/** A command as its file exports it: a file of this folder whose default export is an entry is a command. */
import type { NodeServices } from "@effect/platform-node/NodeServices"
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"

/** A command that needs nothing but a process of Node. */
export type Entry = Command.Command<string, never, {}, unknown, NodeServices>

/** With its ways to be called, each with its effect: for the help, and for docs/reference.md. */
export const entry =
  (usages: Readonly<Record<string, string>>) =>
  <Name extends string, Input, E>(command: Command.Command<Name, Input, {}, E, NodeServices>): Entry => {
    const examples = Object.entries(usages).map(([usage, does]) => ({
      command: `npx rackwire ${usage}`,
      description: does
    }))
    // The name is a part of the command's type, and not of an entry's.
    return Command.withExamples(command, examples) as Command.Command.Any as Entry
  }

/** For a command that runs until it is stopped: the signal is its usual end, and the exit code is 0. */
export const untilStopped = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onInterrupt(run, () => Effect.sync(() => (process.exitCode = 0)))

/** A command cannot do its work; the message says why. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}

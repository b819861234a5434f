/** A command as its file exports it: a file of this folder whose default export is an entry is a command. */
import type { NodeServices } from "@effect/platform-node/NodeServices"
import { Schema } from "effect"
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

/** A command cannot do its work; the message says why. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}

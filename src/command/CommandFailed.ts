import { Schema } from "effect"

/** A command could not do its work; the message tells the operator why, and the process ends with 1. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}

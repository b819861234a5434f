/** Runs commands of `rackwire`: in this worker, or as a process for tests of the terminal, the folder and pipes. */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, Stdio, Stream } from "effect"
import { rackwire } from "../../src/command/service/Rackwire.ts"
import { program } from "./Process.ts"
import { surroundings } from "./Surroundings.ts"

interface Given {
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Text of the command's standard input. */
  readonly input?: string | undefined
}

interface InWorker extends Given {
  /** Factor of the product's time constants (src/eventloop/Pace.ts). */
  readonly pace?: number | undefined
}

export interface CommandResult {
  /** The exit code; null after a signal. */
  readonly code: number | null
  /** Everything that it printed, to both streams. */
  readonly output: string
}

/** Runs a command in this worker, with these options and no others. */
export const runCommand = async (
  args: ReadonlyArray<string>,
  { env = {}, input = "", pace }: InWorker = {}
): Promise<CommandResult> => {
  const { layer, output } = surroundings(env, pace)
  const stdin = Stdio.layerTest({ stdin: Stream.make(new TextEncoder().encode(input)) })
  const exit = await Effect.runPromiseExit(
    rackwire(args).pipe(Effect.provide([layer, stdin]), Effect.provide(NodeServices.layer))
  )
  return { code: Exit.isSuccess(exit) ? 0 : 1, output: output() }
}

/** Runs a command as a process. */
export const runProcess = async (
  args: ReadonlyArray<string>,
  { env, cwd, input = "" }: Given & { readonly cwd?: string } = {}
): Promise<CommandResult> => {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { PATH: process.env["PATH"], ...env } })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  child.stdin.end(input)
  const [code, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { code, output: out + errors }
}

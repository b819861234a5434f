/** Runs a command of `bin/rackwire.mjs` in a process of its own. */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

export const program = fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url))

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** What the command reads from its standard input. */
  readonly input?: string
}

/** Returns the exit code, and what the command printed to both streams. */
export const runCommand = async (args: ReadonlyArray<string>, { env, cwd, input = "" }: Surroundings = {}) => {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { PATH: process.env["PATH"], ...env } })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  child.stdin.end(input)
  const [code, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { code, output: out + errors }
}

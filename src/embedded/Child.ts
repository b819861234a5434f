/**
 * A server process that we start.
 *
 * It runs in a separate session: Ctrl-C in the terminal reaches only us, and we decide the order of stopping. Its
 * output goes to a file. If we die without stopping it, a watchdog shell does: the shell waits on a pipe that only we
 * keep open, so even `kill -9` of this process ends the wait.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { Effect, type Scope } from "effect"
import { inWords } from "../telemetry/Telemetry.ts"
import { readTail } from "./DataDirectory.ts"
import { EmbeddedError } from "./EmbeddedError.ts"

export interface Program {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Its working directory, also passed as file descriptor 3. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** The user to run as; by default ours. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  readonly logFile: string
  /** A file to use as its standard input. */
  readonly inputFile?: string
  /** The signal for an orderly stop. */
  readonly stopSignal: "SIGINT" | "SIGTERM"
}

interface Child {
  readonly pid: number
  /** Completes when the process ends, with a description of how it ended. */
  readonly exited: Effect.Effect<string>
}

/** Time that a server has for an orderly stop before it is killed. */
const stopMillis = 10_000

/** Starts the program; closing the scope stops it in an orderly way. */
export const start = (program: Program): Effect.Effect<Child, EmbeddedError, Scope.Scope> =>
  Effect.gen(function* () {
    const process = yield* Effect.try({
      try: () => run(program),
      catch: (error) =>
        new EmbeddedError({ reason: "StartFailed", message: `${program.name}: cannot be started: ${inWords(error)}` })
    })
    const end = new Promise<string>((resolve) => {
      process.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : signal))
      process.once("error", (error) => resolve(error.message))
    })
    const pid = process.pid
    if (pid === undefined) {
      return yield* new EmbeddedError({
        reason: "StartFailed",
        message: `${program.name}: cannot run ${program.command}: ${yield* Effect.promise(() => end)}`
      })
    }
    const watchdog = spawn(
      "/bin/sh",
      ["-c", `read _; kill -s "$0" "$1" 2>/dev/null`, program.stopSignal.slice(3), `${pid}`],
      {
        env: program.env,
        detached: true,
        stdio: ["pipe", "ignore", "ignore"]
      }
    )
    yield* Effect.addFinalizer(() => Effect.promise(() => stop(process, end, program.stopSignal, watchdog)))
    return { pid, exited: Effect.promise(() => end) }
  })

const run = (program: Program): ChildProcess => {
  const files: Array<number> = []
  const open = (...given: Parameters<typeof openSync>): number => {
    const file = openSync(...given)
    files.push(file)
    return file
  }
  try {
    const log = open(program.logFile, "a", 0o600)
    const folder = open(program.folder, "r")
    const input = program.inputFile === undefined ? "ignore" : open(program.inputFile, "r")
    return spawn(program.command, program.args, {
      cwd: program.folder,
      env: program.env,
      uid: program.user?.uid,
      gid: program.user?.gid,
      detached: true,
      stdio: [input, log, log, folder]
    })
  } finally {
    for (const file of files) closeSync(file)
  }
}

const stop = async (process: ChildProcess, end: Promise<string>, signal: NodeJS.Signals, watchdog: ChildProcess) => {
  if (process.exitCode === null && process.signalCode === null) {
    process.kill(signal)
    const killer = setTimeout(() => process.kill("SIGKILL"), stopMillis)
    await end
    clearTimeout(killer)
  }
  watchdog.kill("SIGKILL")
}

/** Waits until `ready` returns true; fails with the end of the log if the process ends first or time runs out. */
export const awaitReady = (
  program: Program,
  child: Child,
  ready: Effect.Effect<boolean>,
  millis: number
): Effect.Effect<void, EmbeddedError> => {
  const failed = (how: string) =>
    new EmbeddedError({
      reason: "StartFailed",
      message: `${program.name} ${how}. Last lines of ${program.logFile}:\n${readTail(program.logFile)}`
    })
  const poll: Effect.Effect<void> = Effect.flatMap(ready, (yes) =>
    yes ? Effect.void : Effect.andThen(Effect.sleep(15), poll)
  )
  return poll.pipe(
    Effect.raceFirst(Effect.flatMap(child.exited, (how) => failed(`ended with ${how}`))),
    Effect.timeoutOrElse({ duration: millis, orElse: () => failed(`was not ready after ${millis} ms`) })
  )
}

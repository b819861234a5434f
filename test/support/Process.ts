/** `rackwire serve` as a process of its own: for tests of signals, output, memory, and of several processes. */
import { type ChildProcess, spawn } from "node:child_process"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Client, password, superuserOf } from "./Client.ts"
import { eventually } from "./Eventually.ts"
import { countStart } from "./Ledger.ts"
import { running } from "./Running.ts"
import type { Start } from "./Service.ts"

export interface ServiceProcess extends Client {
  readonly url: string
  /** The name of its row among the processes. */
  readonly name: string
  readonly process: ChildProcess
  /** Everything it has printed so far. */
  readonly output: () => string
  /** Ends the process and waits for its exit. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

export const program = fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url))

/** The service at the pace of TEST_PACE. */
const pacedProgram = fileURLToPath(new URL("./serve.ts", import.meta.url))

export interface ProcessStart extends Pick<Start, "roles" | "pace"> {
  /** The program, if not the one of this directory. */
  readonly script?: string | undefined
}

/** Starts the service. Rejects with its output if it ends before it is ready. */
export const startProcess = async (
  environment: Readonly<Record<string, string>>,
  { roles, pace, script = pace === undefined ? program : pacedProgram }: ProcessStart = {}
): Promise<ServiceProcess> => {
  countStart("process")
  const args = roles === undefined ? ["serve"] : ["serve", "--roles", roles.join(",")]
  const child = spawn(process.execPath, [script, ...args], {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      NODE_V8_COVERAGE: process.env["NODE_V8_COVERAGE"],
      // A start from compiled modules takes a second less.
      NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
      PORT: portFor(roles),
      SUPERUSER_PASSWORD: password,
      ...(pace !== undefined && { TEST_PACE: `${pace}` }),
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal)
    return exited
  }
  const entry = { output: () => output, stop: () => stop("SIGKILL"), outlivesFile: false }
  running.add(entry)
  void exited.then(() => running.delete(entry))
  const url = await readyUrl(child, () => output)
  return {
    url,
    name: `${hostname()} ${child.pid}`,
    process: child,
    ...superuserOf(url),
    output: () => output,
    stop
  }
}

/** Any free port where the service has an API; else the usual one, which nothing listens on, for the URLs of events. */
export const portFor = (roles: ReadonlyArray<string> = ["api"]): string => (roles.includes("api") ? "0" : "8000")

const readyUrl = (child: ChildProcess, output: () => string): Promise<string> =>
  eventually("the service is ready", () => {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`)
    return /^ready (.+)$/m.exec(output())?.[1]
  }).catch((error: Error) => {
    child.kill("SIGKILL")
    throw new Error(`${error.message}\n${output()}`)
  })

/** `rackwire serve` as a process of its own, and a client for its API. */
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { eventually } from "./Eventually.ts"

export const password = "correct horse battery staple"

export interface Reply<A> {
  readonly status: number
  readonly headers: Headers
  readonly json: A
  readonly text: string
}

export type Call = <A = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Reply<A>>

export interface Service {
  readonly url: string
  readonly process: ChildProcess
  /** Calls the API as the superuser. */
  readonly call: Call
  /** Everything it has printed so far. */
  readonly output: () => string
  /** Ends the process and waits for its exit. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** Time within which the service has to be ready. */
const readyMillis = 100_000

const program = fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url))

export const startService = async (
  environment: Record<string, string>,
  args: ReadonlyArray<string> = ["serve"],
  script: string = program
): Promise<Service> => {
  const child = spawn(process.execPath, [script, ...args], {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      PORT: "0",
      SUPERUSER_PASSWORD: password,
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const url = await readyUrl(child, () => output)
  let token = ""
  const call: Call = async (method, path, body) => {
    if (token === "") token = await provision(url)
    return request(url, token, method, path, body)
  }
  return {
    url,
    process: child,
    call,
    output: () => output,
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return exited
    }
  }
}

const readyUrl = (child: ChildProcess, output: () => string): Promise<string> =>
  eventually(
    "the service is ready",
    () => {
      if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`)
      return /^ready (.+)$/m.exec(output())?.[1]
    },
    { millis: readyMillis }
  ).catch((error: Error) => {
    child.kill("SIGKILL")
    throw new Error(`${error.message}\n${output()}`)
  })

export const request = async <A>(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown
): Promise<Reply<A>> => {
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: {
      ...(token === "" ? {} : { authorization: `Token ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
  return {
    status: response.status,
    headers: response.headers,
    json: (isJson ? JSON.parse(text) : undefined) as A,
    text
  }
}

export const provision = async (url: string): Promise<string> => {
  const reply = await request<{ readonly key: string }>(url, "", "POST", "/api/users/tokens/provision/", {
    username: "admin",
    password
  })
  if (reply.status !== 201) throw new Error(`no token: ${reply.text}`)
  return reply.json.key
}

/**
 * Sends requests to a running service and judges the answers: no 5xx, none later than five seconds, and a service that
 * works at the end.
 */
import { Agent, request } from "node:http"
import type { Service } from "../../support/Service.ts"
import type { Sql } from "../../support/Sql.ts"
import { type Drawn, draw } from "./Draw.ts"
import { type Actor, type World, makeFuzzWorld, restoreActors, tokens } from "./World.ts"

export interface Plan {
  readonly seed: number
  /** Numbers of the requests, in the order in which they are sent. */
  readonly numbers: Iterable<number>
  /** The senders, each as often as it is named; usual is the superuser mostly. */
  readonly senders?: ReadonlyArray<Actor>
  readonly onFailure?: (failure: Failure) => void
  /** Latest answer, milliseconds; usual are five seconds. */
  readonly answerMillisMax?: number
}

export interface Failure {
  readonly number: number
  readonly drawn: Drawn
  readonly what: string
}

export interface Verdict {
  readonly failures: ReadonlyArray<Failure>
  /** Requests by the status of their answer. */
  readonly statuses: ReadonlyMap<number, number>
  /** Answers with 503 by what they say. */
  readonly unavailable: ReadonlyMap<string, number>
  readonly slowestMillis: number
  /** Problems of the service at the end. */
  readonly problems: ReadonlyArray<string>
}

/** Usual latest answer, milliseconds. */
const answerMax = 5000

/** Requests at a time. */
const atOnce = 4

/** Requests after which the actors are made anew. */
const restoreEvery = 200

export const fuzz = async (service: Service, sql: Sql, plan: Plan): Promise<Verdict> => {
  const { seed, numbers, senders, onFailure, answerMillisMax = answerMax } = plan
  const world: World = await makeFuzzWorld(service.call)
  await restoreActors(sql)
  // A thread writes it once; that takes longer than an answer may on a busy machine.
  for (const format of ["json", "yaml"]) await (await fetch(`${service.url}/api/schema/?format=${format}`)).text()
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const failures: Array<Failure> = []
  const statuses = new Map<number, number>()
  const unavailable = new Map<string, number>()
  let slowestMillis = 0
  const left = numbers[Symbol.iterator]()
  let sent = 0
  const work = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      if (++sent % restoreEvery === 0) await restoreActors(sql)
      const drawn = draw(seed, next.value, world, senders)
      const answer = await send(service.url, agent, drawn)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 503) unavailable.set(answer.text, (unavailable.get(answer.text) ?? 0) + 1)
      slowestMillis = Math.max(slowestMillis, answer.millis)
      const what = problem(answer, answerMillisMax)
      if (what === undefined) continue
      const failure = { number: next.value, drawn, what }
      failures.push(failure)
      onFailure?.(failure)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  agent.destroy()
  await restoreActors(sql)
  return { failures, statuses, unavailable, slowestMillis, problems: await problemsAtTheEnd(service.url) }
}

/** Time in which the service must have worked off what it was asked for, milliseconds. */
const settleMax = 60_000

const problemsAtTheEnd = async (url: string): Promise<ReadonlyArray<string>> => {
  const headers = { authorization: `Token ${tokens.superuser}`, "content-type": "application/json" }
  const ask = async (path: string, options: RequestInit = {}) => {
    const response = await fetch(url + path, { ...options, headers }).catch((error: Error) => error)
    if (response instanceof Error) return `${path}: ${response.message}`
    const text = await response.text()
    return response.status === 200 ? undefined : `${path}: ${response.status} ${text}`
  }
  for (const deadline = performance.now() + settleMax; ;) {
    const reads = ["/health/live", "/health/ready", "/api/dcim/sites/?limit=1"].map((path) => ask(path))
    // Places for what is bounded in number must have been given back.
    const found = await Promise.all([...reads, ask("/api/dcim/sites/import/", { method: "POST", body: "[]" })])
    const problems = found.filter((problem) => problem !== undefined)
    if (problems.length === 0 || performance.now() > deadline) return problems
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

interface Answer {
  /** 0 where the connection ended without a whole answer. */
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
  readonly millis: number
}

const problem = ({ status, retryAfter, text, millis }: Answer, millisMax: number): string | undefined => {
  if (millis > millisMax) return `${status} after ${Math.round(millis)} ms`
  if (status === 503 && retryAfter !== undefined) return undefined
  return status === 0 || status >= 500 ? `${status} ${text.slice(0, 300)}` : undefined
}

const send = (url: string, agent: Agent, { method, path, headers, body }: Drawn): Promise<Answer> =>
  new Promise((resolve) => {
    const from = performance.now()
    const { hostname, port } = new URL(url)
    const end = (status: number, text: string, retryAfter?: string) =>
      resolve({ status, text, retryAfter, millis: performance.now() - from })
    const length = body === undefined ? [] : ["Content-Length", `${body.length}`]
    const asked = request({ agent, hostname, port, method, path, headers: [...headers, ...length], timeout: 30_000 })
    asked.on("response", (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        end(response.statusCode ?? 0, Buffer.concat(chunks).toString(), response.headers["retry-after"])
      )
      response.on("error", (error) => end(0, `cut off: ${error.message}`))
    })
    asked.on("timeout", () => asked.destroy(new Error("no answer in 30 seconds")))
    asked.on("error", (error) => end(0, error.message))
    asked.end(body)
  })

/** A request as a line to read, and to send again. */
export const told = ({ number, drawn, what }: Failure): string => {
  const { actor, method, path, headers, body } = drawn
  const shown = body === undefined ? "" : body.toString().slice(0, 600)
  return `#${number} ${actor} ${method} ${path.slice(0, 600)}\n  ${headers.join(" | ").slice(0, 400)}\n  ${shown}\n  -> ${what}`
}

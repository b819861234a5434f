/** One worker thread of the pool, with its pending batches. */
import { extname } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { type Batch, type Reply, type Request, packBatch, ready } from "./Batch.ts"
import type { Reservation } from "../../limit/Shares.ts"
import type { Waiting } from "./FairQueue.ts"
import type { LimitName, TemplateFault } from "../../jinja/runtime/Fault.ts"
import type { Limits } from "../../jinja/runtime/Limits.ts"
import type { WorkerData } from "./Worker.ts"

/** The configuration of a worker. */
export interface WorkerOptions {
  readonly limits: Limits
  /** URLs of the plugins' modules. */
  readonly modules: ReadonlyArray<string>
  /** Rises when plugins must be read again. */
  readonly version?: string
}

/** A worker is terminated when one run takes this many times its CPU time: its thread may have to share a core. */
const patience = 4

/** Characters of a context for which a run gets a millisecond more: it parses them beside its CPU time. */
const charsPerMilli = 2_048

/** Time that a worker gets to end, milliseconds: V8 does not always end one that ran out of memory. */
const endMillis = 2_000

/** Time that a worker gets to load, milliseconds. */
const startMillis = 20_000

/** Memory of a worker, MB: V8 ends a worker that exceeds it, and the process continues. */
const workerMegabytes = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** Outputs in the order of the sources, or the fault. */
export type Outcome = ReadonlyArray<string> | TemplateFault

/** Room for the output of a request. */
export type Room = Pick<Reservation, "take" | "whenRoom">

/** A request in the pool. */
export interface Pending extends Waiting {
  readonly request: Request
  readonly done: (outcome: Outcome) => void
  /** The room that its output needs, until it is taken. */
  room: Room | undefined
}

export const finish = (pending: Pending, outcome: Outcome): void => {
  if (!pending.cancelled) pending.done(outcome)
}

interface Listener {
  /** The request was answered. */
  readonly ended: (pending: Pending, outcome: Outcome, millis: number) => void
  /** A batch was answered; these requests of it were not begun. */
  readonly answered: (rest: ReadonlyArray<Pending>) => void
  /** The thread has exited. */
  readonly gone: () => void
}

export class PoolWorker {
  private readonly thread: Worker
  private readonly listener: Listener
  private readonly limits: Limits
  private readonly runs = new Int32Array(new SharedArrayBuffer(4))
  private batches: Array<ReadonlyArray<Pending>> = []
  private isReady = false
  /** Whether it is being replaced and gets no more work. */
  isLeaving = false
  /** Runs of the answered batches. */
  private answeredRuns = 0
  private seenRuns = -1
  private seenAt = performance.now()
  /** The budget that it exceeded, once it is ended. */
  passed: LimitName = "wall"
  private ending: { readonly since: number; readonly gone: Promise<unknown> } | undefined

  constructor({ limits, modules, version }: WorkerOptions, listener: Listener) {
    this.listener = listener
    this.limits = limits
    const workerData: WorkerData = { modules, version, limits, runs: this.runs.buffer }
    this.thread = new Worker(new URL(`./Worker${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      resourceLimits: workerMegabytes
    })
    this.thread.on("message", (message: Reply | typeof ready) => this.receive(message))
    this.thread.on("error", (error) => {
      if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") this.passed = "memory"
    })
    this.thread.on("exit", () => this.listener.gone())
    this.thread.unref()
  }

  /** Batches that it has not answered yet. */
  get ahead(): number {
    return this.batches.length
  }

  /** Whether it takes work. */
  get isHired(): boolean {
    return !this.isLeaving && this.ending === undefined
  }

  get unanswered(): ReadonlyArray<Pending> {
    return this.batches.flat()
  }

  send(batch: ReadonlyArray<Pending>): void {
    if (this.batches.length === 0) {
      this.comeOn()
      // Only pending requests keep the process alive.
      this.thread.ref()
    }
    this.batches.push(batch)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.thread.postMessage(packBatch(batch.map(({ request }) => request)) satisfies Batch)
  }

  private comeOn(): void {
    this.seenRuns = Atomics.load(this.runs, 0)
    this.seenAt = performance.now()
  }

  private receive(message: Reply | typeof ready): void {
    this.comeOn()
    if (message === ready) {
      this.isReady = true
      return
    }
    const batch = this.batches.shift()
    // It was given up, and others have its requests.
    if (batch === undefined) return
    if (this.batches.length === 0) this.thread.unref()
    const begun = batch.slice(0, message.millis.length)
    for (const { request } of begun) this.answeredRuns += request.sources.length
    this.deliver(begun, message)
    this.listener.answered(batch.slice(begun.length))
    if (this.isLeaving) this.leave()
  }

  /** Ends the thread once it has answered its batches. */
  leave(): void {
    this.isLeaving = true
    if (this.batches.length === 0) void this.end()
  }

  /** Whether a run takes so long that its own limits must have failed. */
  isStuck(): boolean {
    if (Atomics.load(this.runs, 0) !== this.seenRuns) this.comeOn()
    const chars = this.batches[0]?.reduce((sum, { request }) => Math.max(sum, request.context.length), 0) ?? 0
    const most = this.isReady ? this.limits.cpuMillis * patience + chars / charsPerMilli : startMillis
    return performance.now() - this.seenAt > most
  }

  /** Ends the thread and waits until it has exited, but not for ever. The listener is called on its exit. */
  async end(limit?: LimitName): Promise<void> {
    if (this.ending === undefined) {
      if (limit !== undefined) this.passed = limit
      this.ending = { since: performance.now(), gone: this.thread.terminate() }
    }
    await Promise.race([this.ending.gone, setTimeout(endMillis, undefined, { ref: false })])
  }

  /** Whether it was ended and has not exited. */
  isLost(): boolean {
    return this.ending !== undefined && performance.now() - this.ending.since > endMillis
  }

  /** The request during which the thread ended, and those that only waited and must be rendered elsewhere. */
  blame(): { readonly guilty: Pending | undefined; readonly others: ReadonlyArray<Pending> } {
    const all = this.unanswered
    this.batches = []
    let before = Atomics.load(this.runs, 0) - this.answeredRuns
    if (before <= 0) return { guilty: undefined, others: all }
    const guilty = all.find(({ request }) => {
      before -= request.sources.length
      return before <= 0
    })
    return { guilty, others: all.filter((pending) => pending !== guilty) }
  }

  /** Hands on the outputs of a batch. */
  private deliver(batch: ReadonlyArray<Pending>, { outputs, faults, millis }: Reply): void {
    const faulty = new Map(faults.map(({ request, fault }) => [request, fault]))
    let at = 0
    batch.forEach((pending, index) => {
      const fault = faulty.get(index)
      if (fault !== undefined) return this.listener.ended(pending, fault, millis[index]!)
      const count = pending.request.sources.length
      this.listener.ended(pending, outputs.slice(at, at + count), millis[index]!)
      at += count
    })
  }
}

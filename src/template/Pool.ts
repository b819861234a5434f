/**
 * Worker threads that render, fed in batches: what arrives while a batch runs makes up the next one.
 *
 * The engine's own budgets end nearly every template. For what they miss (a plugin that spins, one native operation
 * over too much text) the pool watches from outside: a worker that does not come on, or runs out of memory, is ended and
 * replaced, the request it was at gets a fault, and the others are rendered again elsewhere. Plain code: no promise, no
 * fiber and no span for each request.
 */
import { Worker } from "node:worker_threads"
import { type Batch, type Reply, type Request, packBatch, ready } from "./Batch.ts"
import { Fault, type LimitName, type TemplateFault, faultAt, limitFault } from "./Fault.ts"
import type { Limits } from "./Limits.ts"
import type { WorkerData } from "./Worker.ts"

export interface PoolOptions {
  /** Workers. */
  readonly size: number
  readonly limits: Limits
  /** URLs of the plugins' modules. */
  readonly modules: ReadonlyArray<string>
  /** Changes when plugins are to be read again. */
  readonly version?: string
}

/** Outputs in the order of the sources, or what went wrong. */
export type Outcome = ReadonlyArray<string> | TemplateFault

/** Requests in one message. */
const batchRequests = 256

/** Messages that a worker has at once: one that it works on, and one so that it need not wait. */
const batchesAhead = 2

/** How long one run may take beside its own limit before its worker is ended: a multiple of that limit. */
const patience = 2

/** Time that a worker gets to load, milliseconds. */
const startMillis = 20_000

/** Starts that may fail in a row before requests fail with them. */
const failedStarts = 3

/** Memory of a worker, MB: beyond it V8 ends the worker, and the process goes on. */
const workerMegabytes = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** A request that was taken on. */
interface Pending {
  readonly request: Request
  readonly done: (outcome: Outcome) => void
  cancelled: boolean
}

export class Pool {
  private readonly options: PoolOptions
  private readonly workers = new Set<PoolWorker>()
  private queue: Array<Pending> = []
  private scheduled = false
  private watch: NodeJS.Timeout | undefined
  private failures = 0
  private closed = false

  constructor(options: PoolOptions) {
    this.options = options
    for (let i = 0; i < options.size; i++) this.hire()
  }

  /** Takes a request on; gives back how to let it go. `done` is called once, later, unless the request was let go. */
  submit(request: Request, done: (outcome: Outcome) => void): () => void {
    const pending: Pending = { request, done, cancelled: false }
    this.queue.push(pending)
    this.schedule()
    return () => {
      pending.cancelled = true
    }
  }

  /** Threads that are there now, for those who count them. */
  get threads(): number {
    return this.workers.size
  }

  /** Ends all workers; resolves when they are gone. */
  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.watch)
    await Promise.all([...this.workers].map((worker) => worker.end()))
    const left = [...this.queue, ...[...this.workers].flatMap((worker) => worker.unanswered)]
    this.queue = []
    for (const pending of left) finish(pending, closedFault)
  }

  /** Requests of one turn of the event loop go together. */
  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    queueMicrotask(() => {
      this.scheduled = false
      this.dispatch()
    })
  }

  private dispatch(): void {
    if (this.closed) {
      for (const pending of this.queue.splice(0)) finish(pending, closedFault)
      return
    }
    while (this.queue.length > 0) {
      const free = [...this.workers].filter((worker) => worker.ahead < batchesAhead)
      const next = free.toSorted((a, b) => a.ahead - b.ahead)[0]
      if (next === undefined) break
      // Idle workers share what there is.
      const idle = Math.max(1, free.filter((worker) => worker.ahead === 0).length)
      const count = Math.min(batchRequests, Math.ceil(this.queue.length / idle))
      const batch = this.queue.splice(0, count).filter(({ cancelled }) => !cancelled)
      if (batch.length > 0) next.send(batch)
    }
    this.watch ??= setInterval(() => this.look(), this.options.limits.wallMillis / 4).unref()
  }

  /** Ends workers that do not come on. */
  private look(): void {
    let busy = false
    for (const worker of this.workers) {
      if (worker.ahead === 0) continue
      busy = true
      if (worker.isStuck()) void worker.end("wall")
    }
    if (busy) return
    clearInterval(this.watch)
    this.watch = undefined
  }

  private hire(): void {
    const worker = new PoolWorker(this.options, {
      answered: () => {
        this.failures = 0
        this.dispatch()
      },
      ended: (limit) => this.replace(worker, limit)
    })
    this.workers.add(worker)
  }

  private replace(worker: PoolWorker, limit: LimitName): void {
    if (this.closed) return
    this.workers.delete(worker)
    const { guilty, others } = worker.blame()
    if (guilty !== undefined) finish(guilty, faultAt(limitFault(limit), 0, 0))
    else this.failures++
    this.queue = [...others, ...this.queue]
    if (this.failures >= failedStarts) {
      this.failures = 0
      for (const pending of this.queue.splice(0)) finish(pending, startFault)
    }
    this.hire()
    this.schedule()
  }
}

const finish = (pending: Pending, outcome: Outcome): void => {
  if (!pending.cancelled) pending.done(outcome)
}

const closedFault = faultAt(new Fault("Internal", "the template workers were stopped"), 0, 0)
const startFault = faultAt(new Fault("Internal", "the template workers do not start"), 0, 0)

interface Listener {
  /** A batch came back. */
  readonly answered: () => void
  /** The thread is gone; the limit is what it passed. */
  readonly ended: (limit: LimitName) => void
}

/** One thread and what it was given. */
class PoolWorker {
  private readonly thread: Worker
  private readonly listener: Listener
  private readonly limits: Limits
  private readonly runs = new Int32Array(new SharedArrayBuffer(4))
  private batches: Array<ReadonlyArray<Pending>> = []
  private isReady = false
  /** Runs of the batches that came back. */
  private answeredRuns = 0
  private seenRuns = -1
  private seenAt = performance.now()
  private passed: LimitName = "wall"

  constructor({ limits, modules, version }: PoolOptions, listener: Listener) {
    this.listener = listener
    this.limits = limits
    const workerData: WorkerData = { modules, version, limits, runs: this.runs.buffer }
    this.thread = new Worker(new URL("./Worker.ts", import.meta.url), { workerData, resourceLimits: workerMegabytes })
    this.thread.on("message", (message: Reply | typeof ready) => this.receive(message))
    this.thread.on("error", (error) => {
      if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") this.passed = "memory"
    })
    this.thread.on("exit", () => this.listener.ended(this.passed))
    this.thread.unref()
  }

  /** Batches that it was given and has not answered. */
  get ahead(): number {
    return this.batches.length
  }

  get unanswered(): ReadonlyArray<Pending> {
    return this.batches.flat()
  }

  send(batch: ReadonlyArray<Pending>): void {
    if (this.batches.length === 0) {
      this.comeOn()
      // Only what is waited for keeps the process alive.
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
    const batch = this.batches.shift()!
    if (this.batches.length === 0) this.thread.unref()
    for (const { request } of batch) this.answeredRuns += request.sources.length
    deliver(batch, message)
    this.listener.answered()
  }

  /** Whether a run takes so long that its own limits must have failed. */
  isStuck(): boolean {
    if (Atomics.load(this.runs, 0) !== this.seenRuns) this.comeOn()
    const most = this.isReady ? this.limits.wallMillis * patience : startMillis
    return performance.now() - this.seenAt > most
  }

  /** Ends the thread; the listener hears of it when it is gone. */
  async end(limit?: LimitName): Promise<void> {
    if (limit !== undefined) this.passed = limit
    await this.thread.terminate()
  }

  /** Whose run it was that the thread ended in, and who only waited. */
  blame(): { readonly guilty: Pending | undefined; readonly others: ReadonlyArray<Pending> } {
    const all = this.unanswered
    let before = Atomics.load(this.runs, 0) - this.answeredRuns
    if (before <= 0) return { guilty: undefined, others: all }
    const guilty = all.find(({ request }) => {
      before -= request.sources.length
      return before <= 0
    })
    return { guilty, others: all.filter((pending) => pending !== guilty) }
  }
}

/** Hands the outputs of a batch to those who asked. */
const deliver = (batch: ReadonlyArray<Pending>, { outputs, faults }: Reply): void => {
  const faulty = new Map(faults.map(({ request, fault }) => [request, fault]))
  let at = 0
  batch.forEach((pending, index) => {
    const fault = faulty.get(index)
    if (fault !== undefined) return finish(pending, fault)
    const count = pending.request.sources.length
    finish(pending, outputs.slice(at, at + count))
    at += count
  })
}

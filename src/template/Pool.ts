/**
 * Worker threads that render, fed in batches: what arrives while a batch runs makes up the next one.
 *
 * The engine's own budgets end nearly every template. For what they miss (a plugin that spins, one native operation
 * over too much text) the pool watches from outside: a worker that does not come on, or runs out of memory, is ended
 * and replaced, the request it was at gets a fault, and the others are rendered again elsewhere. Plain code: no
 * promise, no fiber and no span for each request.
 */
import type { Request } from "./Batch.ts"
import { Fault, faultAt, limitFault } from "./Fault.ts"
import { type Outcome, type Pending, PoolWorker, type WorkerOptions, finish } from "./PoolWorker.ts"

export interface PoolOptions extends WorkerOptions {
  /** Workers. */
  readonly size: number
}

/** Requests in one message. */
const batchRequests = 256

/** Messages that a worker has at once: one that it works on, and one so that it need not wait. */
const batchesAhead = 2

/** Starts that may fail in a row before requests fail with them. */
const failedStarts = 3

export class Pool {
  private options: PoolOptions
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

  /** Replaces the workers by ones with these plugins; what the old ones have been given they still answer. */
  renew(modules: ReadonlyArray<string>, version: string): void {
    this.options = { ...this.options, modules, version }
    const old = [...this.workers]
    for (let i = 0; i < this.options.size; i++) this.hire()
    for (const worker of old) worker.leave()
  }

  /** Threads that are there now, for those who count them. */
  get threads(): number {
    return this.workers.size
  }

  /** Ends all workers; resolves when they are gone. */
  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.watch)
    const workers = [...this.workers]
    await Promise.all(workers.map((worker) => worker.end()))
    this.workers.clear()
    const left = [...this.queue.splice(0), ...workers.flatMap((worker) => worker.unanswered)]
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
      const free = [...this.workers].filter((worker) => worker.isHired && worker.ahead < batchesAhead)
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
      if (worker.isLost()) this.replace(worker)
      else if (worker.isStuck()) void worker.end("wall")
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
      ended: () => this.replace(worker)
    })
    this.workers.add(worker)
  }

  private replace(worker: PoolWorker): void {
    if (this.closed || !this.workers.delete(worker)) return
    const { guilty, others } = worker.blame()
    if (guilty !== undefined) finish(guilty, faultAt(limitFault(worker.passed), 0, 0))
    else if (!worker.isLeaving) this.failures++
    this.queue = [...others, ...this.queue]
    if (worker.isLeaving) return this.schedule()
    if (this.failures >= failedStarts) {
      this.failures = 0
      for (const pending of this.queue.splice(0)) finish(pending, startFault)
    }
    this.hire()
    this.schedule()
  }
}

const closedFault = faultAt(new Fault("Internal", "the template workers were stopped"), 0, 0)
const startFault = faultAt(new Fault("Internal", "the template workers do not start"), 0, 0)

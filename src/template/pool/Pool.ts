/**
 * Worker threads that render, fed in batches: what arrives while a batch runs makes up the next one.
 *
 * The engine's own budgets end nearly every template. For what they miss (a plugin that spins, one native operation
 * over too much text) the pool watches from outside: a worker without progress, or out of memory, is terminated
 * and replaced, the request it was at gets a fault, and the others are rendered again elsewhere. Which request goes
 * next is FairQueue's decision; requests of penalised owners run in one worker of their own, started when there are
 * any, so that all others have the rest. Plain code: no promise, no fiber and no span for each request.
 */
import type { Request } from "./Batch.ts"
import { sourceOf } from "../Part.ts"
import { FairQueue } from "./FairQueue.ts"
import { Fault, faultAt, limitFault } from "../../jinja/runtime/Fault.ts"
import { type Outcome, type Pending, PoolWorker, type Room, type WorkerOptions, finish } from "./PoolWorker.ts"

interface PoolOptions extends WorkerOptions {
  /** Workers. */
  readonly size: number
}

/** Most requests in one message, and most characters: a message is copied. */
const batchRequests = 256
const batchChars = 4 << 20

/** Messages that a worker has at once: the current one, and the next, so that it need not wait. */
const batchesAhead = 2

/** Starts that may fail in a row before requests fail with them. */
const failedStarts = 3

/** How long the worker for penalised owners is kept with nothing to do, milliseconds. */
const idleMillis = 60_000

export class Pool {
  private options: PoolOptions
  private readonly workers = new Set<PoolWorker>()
  /** The one for penalised owners, while there is one. */
  private penalty: PoolWorker | undefined
  /** When an owner was penalised last, or served as one. */
  private penalisedAt = Number.NEGATIVE_INFINITY
  /** The worker with the first request of an unknown owner: it may end the worker, so nothing waits behind it. */
  private tryingIn: PoolWorker | undefined
  private penaltyTimer: NodeJS.Timeout | undefined
  private readonly queue = new FairQueue<Pending>()
  private scheduled = false
  private watch: NodeJS.Timeout | undefined
  private failures = 0
  private closed = false

  constructor(options: PoolOptions) {
    this.options = options
  }

  /**
   * Adds a request; returns a function that cancels it. `done` is called once, later, unless it was cancelled.
   * Owners share the workers by time, whatever the number of their requests. A request takes its room at its turn: one
   * that waits for a worker leaves the room to others.
   */
  submit(request: Request, done: (outcome: Outcome) => void, owner = "", room?: Room): () => void {
    const pending: Pending = { request, done, owner, chars: charsOf(request), cancelled: false, room }
    this.queue.add(pending)
    // They start with the first request, since many services render nothing.
    if (this.workers.size === 0 && !this.closed) this.staff()
    this.schedule()
    return () => {
      pending.cancelled = true
      this.unblock(pending)
    }
  }

  /** Replaces the workers by ones with these plugins; the old ones still answer their batches. */
  renew(modules: ReadonlyArray<string>, version: string): void {
    this.options = { ...this.options, modules, version }
    const old = this.all
    this.penalty = undefined
    for (const worker of old) this.workers.add(worker)
    if (old.length > 0) this.staff()
    for (const worker of old) worker.leave()
  }

  /** Number of live threads, for metrics and tests. */
  get threads(): number {
    return this.all.length
  }

  /** Ends all workers; resolves when they have exited. */
  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.watch)
    clearTimeout(this.penaltyTimer)
    const workers = this.all
    await Promise.all(workers.map((worker) => worker.end()))
    this.workers.clear()
    this.penalty = undefined
    const left = [...this.queue.drain(), ...workers.flatMap((worker) => worker.unanswered)]
    for (const pending of left) finish(pending, closedFault)
  }

  private get all(): ReadonlyArray<PoolWorker> {
    return this.penalty === undefined ? [...this.workers] : [...this.workers, this.penalty]
  }

  /** Batches the requests of one turn of the event loop. */
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
      for (const pending of this.queue.drain()) finish(pending, closedFault)
      return
    }
    while (this.queue.size > 0) {
      const free = [...this.workers].filter((worker) => this.isFree(worker))
      const next = free.toSorted((a, b) => a.ahead - b.ahead)[0]
      if (next === undefined) break
      // Idle workers share the waiting requests.
      const idle = Math.max(1, free.filter((worker) => worker.ahead === 0).length)
      const count = Math.min(batchRequests, Math.ceil(this.queue.size / idle))
      const { isTrying } = this.queue
      const taken = this.queue.take(count, batchChars, !this.isPenalising())
      if (taken.length === 0) break
      const batch = this.beginning(taken)
      if (batch.length === 0) continue
      if (!isTrying && this.queue.isTrying) this.tryingIn = next
      next.send(batch)
    }
    this.dispatchPenalised()
    this.watch ??= setInterval(() => this.look(), this.options.limits.cpuMillis / 4).unref()
  }

  /** The requests that have room now. The others wait again, and their owners are blocked until there is room. */
  private beginning(taken: ReadonlyArray<Pending>): ReadonlyArray<Pending> {
    const batch: Array<Pending> = []
    const left: Array<Pending> = []
    for (const pending of taken) (this.hasRoom(pending) ? batch : left).push(pending)
    this.queue.giveBack(left, false)
    return batch
  }

  private hasRoom(pending: Pending): boolean {
    const { room } = pending
    if (room === undefined) return true
    if (this.queue.isBlocked(pending)) return false
    if (room.take()) {
      pending.room = undefined
      return true
    }
    this.queue.block(pending)
    room.whenRoom(() => this.unblock(pending))
    return false
  }

  private unblock(pending: Pending): void {
    if (this.queue.unblock(pending)) this.schedule()
  }

  private isFree(worker: PoolWorker): boolean {
    const isTried = this.queue.isTrying && worker === this.tryingIn
    return worker.isHired && worker.ahead < batchesAhead && !isTried
  }

  /** Whether there are penalised owners, or were: then unknown ones are tried where those are. */
  private isPenalising(): boolean {
    return this.penalty !== undefined || performance.now() - this.penalisedAt < idleMillis
  }

  /** Sends one request at a time, so that no other is lost with its worker. */
  private dispatchPenalised(): void {
    const due = this.queue.nextPenalised(this.isPenalising())
    if (due === undefined || (this.penalty?.ahead ?? 0) > 0) return
    const now = performance.now()
    if (due > now) {
      clearTimeout(this.penaltyTimer)
      this.penaltyTimer = setTimeout(() => this.dispatch(), Math.ceil(due - now)).unref()
      return
    }
    this.penalty ??= this.newWorker()
    if (!this.penalty.isHired) return
    this.penalisedAt = now
    for (let next = this.queue.takePenalised(now); next !== undefined; next = this.queue.takePenalised(now)) {
      const batch = this.beginning([next])
      if (batch.length > 0) return this.penalty.send(batch)
    }
  }

  /** Terminates workers without progress, and the one for penalised owners after it was idle for long. */
  private look(): void {
    const { penalty } = this
    const isUsed = penalty !== undefined && performance.now() - this.penalisedAt < idleMillis
    if (penalty?.ahead === 0 && !isUsed) {
      this.penalty = undefined
      void penalty.end()
    }
    let busy = isUsed
    for (const worker of this.all) {
      if (worker.ahead === 0) continue
      busy = true
      if (worker.isLost()) this.replace(worker)
      else if (worker.isStuck()) void worker.end("wall")
    }
    if (busy) return
    clearInterval(this.watch)
    this.watch = undefined
  }

  private penalise(pending: Pending, millis: number): void {
    this.penalisedAt = performance.now()
    this.queue.overran(pending, millis, this.penalisedAt)
  }

  private staff(): void {
    for (let i = 0; i < this.options.size; i++) this.hire()
  }

  private hire(): void {
    this.workers.add(this.newWorker())
  }

  private newWorker(): PoolWorker {
    const worker = new PoolWorker(this.options, {
      ended: (pending, outcome, millis) => {
        if ("reason" in outcome && outcome.limit === "time") this.penalise(pending, millis)
        else this.queue.ended(pending, millis)
        finish(pending, outcome)
      },
      answered: (rest) => {
        this.failures = 0
        this.queue.giveBack(rest, false)
        this.dispatch()
      },
      gone: () => this.replace(worker)
    })
    return worker
  }

  private replace(worker: PoolWorker): void {
    const isPenalty = worker === this.penalty
    if (isPenalty) this.penalty = undefined
    if (this.closed || (!isPenalty && !this.workers.delete(worker))) return
    const { guilty, others } = worker.blame()
    if (guilty !== undefined) {
      this.penalise(guilty, 2 * this.options.limits.cpuMillis)
      finish(guilty, faultAt(limitFault(worker.passed), 0, 0))
    } else if (!worker.isLeaving) this.failures++
    this.queue.giveBack(others, true)
    if (worker.isLeaving) return this.schedule()
    if (this.failures >= failedStarts) {
      this.failures = 0
      for (const pending of this.queue.drain()) finish(pending, startFault)
    }
    if (!isPenalty) this.hire()
    this.schedule()
  }
}

const charsOf = ({ sources, context }: Request): number =>
  sources.reduce((sum, given) => sum + sourceOf(given)[0].length, context.length)

const closedFault = faultAt(new Fault("Internal", "the template workers were stopped"), 0, 0)
const startFault = faultAt(new Fault("Internal", "the template workers do not start"), 0, 0)

/**
 * Lookups of the names of receivers, fair between webhooks.
 *
 * The resolver is the system's getaddrinfo: only getaddrinfo reads /etc/hosts, nsswitch.conf, and the search domains of
 * a Kubernetes cluster. c-ares, which needs no thread, reads none of them
 * when Node queries it. But getaddrinfo takes a thread until it answers, and nothing ends it: a name whose servers are
 * silent takes one for many seconds. So the process has more threads than Node's four (bin/rackwire.mjs), and lookups
 * have these limits:
 *
 * - a webhook has few under way, and webhooks take turns;
 * - webhooks whose names were slow lately share a part of the places among themselves;
 * - a request for a name is refused after a while. Its place stays taken until its thread is free.
 */
import { type LookupAddress, type LookupOptions, promises as dns } from "node:dns"
import { inheritedEnvironment } from "../Environment.ts"
import { keepNewest } from "../eventloop/KeepNewest.ts"

export type Resolve = (hostname: string, options: LookupOptions) => Promise<ReadonlyArray<LookupAddress>>

interface LookupLimits {
  /** Lookups under way in the process. */
  readonly most: number
  /** Lookups under way of one webhook. */
  readonly ofWebhook: number
  /** Lookups under way of all webhooks together whose names were slow lately. */
  readonly ofSlow: number
  /** How long a lookup may wait and last, milliseconds. A resolver turns to its second server after 5 s. */
  readonly millis: number
  /** A lookup that takes longer is slow, milliseconds. */
  readonly slowMillis: number
  /** How long its webhook counts as slow after that, milliseconds. */
  readonly lateMillis: number
}

/** Webhooks of which is known that their names were slow. */
const slowWebhooksMax = 10_000

/** The name was not resolved in time. The code is getaddrinfo's for a failure that may pass. */
class LookupTimeout extends Error {
  readonly code = "EAI_AGAIN"
}

/** A name that waits for a place, and the requests that get its addresses. */
interface Wish {
  readonly hostname: string
  readonly options: LookupOptions
  readonly asking: Set<(found: ReturnType<Resolve>) => void>
}

interface Running {
  readonly webhook: number
  readonly since: number
}

export class Lookups {
  private readonly ask: Resolve
  private readonly limits: LookupLimits
  /** Lookups that have a place. */
  private readonly running = new Set<Running>()
  /** Their results, by key: a second request for the same name waits for the result, and needs no place. */
  private readonly shared = new Map<string, ReturnType<Resolve>>()
  /** Names that wait for a place, by webhook and by key; the webhook whose turn is next is first. */
  private readonly waiting = new Map<number, Map<string, Wish>>()
  /** Until when a webhook counts as slow, by `performance.now()`. */
  private readonly slowUntil = new Map<number, number>()

  constructor(ask: Resolve, limits: LookupLimits) {
    this.ask = ask
    this.limits = limits
  }

  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.running.size, waiting: this.waiting.values().reduce((sum, { size }) => sum + size, 0) }
  }

  /** The addresses of a name, for a webhook. */
  resolve(webhook: number, hostname: string, options: LookupOptions): ReturnType<Resolve> {
    const key = `${hostname} ${String(options.family)}`
    return new Promise((resolve, reject) => {
      const answer = (found: ReturnType<Resolve>) => {
        found.then(resolve, reject).finally(() => clearTimeout(deadline))
      }
      const deadline = setTimeout(() => {
        this.leave(webhook, key, answer)
        reject(new LookupTimeout(`${hostname} was not resolved within ${this.limits.millis / 1000} s.`))
      }, this.limits.millis)
      const found = this.shared.get(key)
      if (found !== undefined) return answer(found)
      const wishes = this.waiting.get(webhook) ?? new Map<string, Wish>()
      const wish = wishes.get(key) ?? { hostname, options, asking: new Set() }
      wish.asking.add(answer)
      this.waiting.set(webhook, wishes.set(key, wish))
      this.beginNext()
    })
  }

  private leave(webhook: number, key: string, answer: (found: ReturnType<Resolve>) => void): void {
    const wishes = this.waiting.get(webhook)
    const asking = wishes?.get(key)?.asking
    if (asking?.delete(answer) !== true || asking.size > 0) return
    wishes!.delete(key)
    if (wishes!.size === 0) this.waiting.delete(webhook)
  }

  /** Begins as many as may begin. */
  private beginNext(): void {
    for (let webhook = this.next(); webhook !== undefined; webhook = this.next()) {
      const wishes = this.waiting.get(webhook)!
      const [key, wish] = wishes.entries().next().value!
      wishes.delete(key)
      this.waiting.delete(webhook)
      // The others have their turn before its next one.
      if (wishes.size > 0) this.waiting.set(webhook, wishes)
      const found = this.shared.get(key) ?? this.begin(webhook, key, wish)
      for (const answer of wish.asking) answer(found)
    }
  }

  /** The webhook whose lookup begins next. */
  private next(): number | undefined {
    const { most, ofWebhook, ofSlow } = this.limits
    if (this.running.size >= most || this.waiting.size === 0) return undefined
    const counts = new Map<number, number>()
    for (const { webhook } of this.running) counts.set(webhook, (counts.get(webhook) ?? 0) + 1)
    let slow = 0
    for (const [webhook, count] of counts) if (this.isSlow(webhook)) slow += count
    for (const webhook of this.waiting.keys()) {
      if ((counts.get(webhook) ?? 0) < ofWebhook && (slow < ofSlow || !this.isSlow(webhook))) return webhook
    }
    return undefined
  }

  /** Whether a name of the webhook was slow lately, or is. */
  private isSlow(webhook: number): boolean {
    const now = performance.now()
    if ((this.slowUntil.get(webhook) ?? 0) > now) return true
    return this.running.values().some((each) => each.webhook === webhook && now - each.since > this.limits.slowMillis)
  }

  private begin(webhook: number, key: string, { hostname, options }: Wish): ReturnType<Resolve> {
    const running = { webhook, since: performance.now() }
    const found = this.ask(hostname, options)
    this.running.add(running)
    this.shared.set(key, found)
    const done = () => {
      this.running.delete(running)
      this.shared.delete(key)
      this.noteTime(running)
      this.beginNext()
    }
    found.then(done, done)
    return found
  }

  private noteTime({ webhook, since }: Running): void {
    const now = performance.now()
    if (now - since <= this.limits.slowMillis) return
    this.slowUntil.delete(webhook)
    this.slowUntil.set(webhook, now + this.limits.lateMillis)
    keepNewest(this.slowUntil, slowWebhooksMax)
  }
}

/** Threads of libuv, which are four where nothing else is said. */
const threads = Number(inheritedEnvironment()["UV_THREADPOOL_SIZE"]) || 4

/**
 * Places for lookups: libuv gives them half of its threads at most, and some of those stay free for the lookups of the
 * stores and of a proxy.
 */
const most = Math.max(1, Math.floor((threads * 3) / 8))

/** The lookups of this process, as its threads belong to all webhooks. */
export const lookups = new Lookups((hostname, options) => dns.lookup(hostname, { ...options, all: true }), {
  most,
  ofWebhook: 2,
  ofSlow: Math.ceil(most / 2),
  millis: 10_000,
  slowMillis: 1000,
  lateMillis: 60_000
})

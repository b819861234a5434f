/**
 * Kept connections to the receivers of one webhook, each for one request at a time. A request takes the connection that
 * was used last, or a new one: how many requests there are at a time is the caller's to limit. undici's own pool looks
 * through all of its connections for each request.
 */
import { Client, type Dispatcher } from "undici"
import type { Exchange } from "./Exchange.ts"

interface Kept {
  readonly client: Client
  readonly origin: string
  isConnected: boolean
  /** When it was connected, by `performance.now()`. */
  since: number
}

export class Clients {
  private readonly options: Client.Options
  private readonly ageMillisMax: number
  private readonly all = new Set<Client>()
  /** Those without a request, by origin; the one that was used last comes last. */
  private readonly free = new Map<string, Array<Kept>>()
  private isClosed = false

  /** A connection older than `ageMillisMax` is used for no further request. */
  constructor(options: Client.Options, ageMillisMax: number) {
    this.options = options
    this.ageMillisMax = ageMillisMax
  }

  /** Throws if undici refuses the request, or after the end. */
  dispatch(options: Dispatcher.DispatchOptions & { readonly origin: string }, exchange: Exchange): void {
    if (this.isClosed) throw new Error("The connections of the webhook were closed.")
    const { origin } = options
    const kept = this.take(origin) ?? this.open(origin)
    exchange.onReleased = () => this.release(kept)
    kept.client.dispatch(options, exchange)
  }

  /** Ends when the requests under way have. */
  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all(Array.from(this.all, (client) => client.close()))
  }

  /** Cuts off what is under way. */
  async destroy(): Promise<void> {
    this.isClosed = true
    await Promise.all(Array.from(this.all, (client) => client.destroy()))
  }

  private take(origin: string): Kept | undefined {
    const free = this.free.get(origin) ?? []
    for (let kept = free.pop(); kept !== undefined; kept = free.pop()) {
      if (performance.now() - kept.since < this.ageMillisMax) return kept
      this.drop(kept)
    }
    return undefined
  }

  private open(origin: string): Kept {
    const client = new Client(origin, this.options)
    const kept: Kept = { client, origin, isConnected: false, since: 0 }
    this.all.add(client)
    client.on("connect", () => Object.assign(kept, { isConnected: true, since: performance.now() }))
    client.on("disconnect", () => {
      kept.isConnected = false
      const free = this.free.get(origin)
      const at = free?.indexOf(kept) ?? -1
      if (at < 0) return
      free!.splice(at, 1)
      this.drop(kept)
    })
    return kept
  }

  private release(kept: Kept): void {
    if (!kept.isConnected || this.isClosed) return this.drop(kept)
    const free = this.free.get(kept.origin)
    if (free === undefined) this.free.set(kept.origin, [kept])
    else free.push(kept)
  }

  private drop({ client, origin }: Kept): void {
    this.all.delete(client)
    // A template may give each object an origin of its own.
    if (this.free.get(origin)?.length === 0) this.free.delete(origin)
    // Fails where it was destroyed already.
    client.close().catch(() => {})
  }
}

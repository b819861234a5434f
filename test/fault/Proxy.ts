/** A network between two processes that can be disturbed: a TCP proxy on a loopback port, in this process. */
import { type Server, type Socket, connect, createServer } from "node:net"
import type { Random } from "./Random.ts"

/** How bytes pass: at once, in single ones and small pieces, late, or not until later. */
type Manner = "pass" | "drip" | "delay" | "hold"

/** Bytes that may wait in one direction before reading stops. */
const waitingMax = 1 << 20

/** Pause between two pieces of a drip, and its largest piece. */
const dripMillis = 1
const dripBytesMax = 64

/** Time after which the far end of a dead connection notices, milliseconds: its TCP keepalive. */
const noticeMillis = 3000

export class Proxy {
  private readonly server: Server
  private readonly links = new Set<Link>()
  private isCut = false
  manner: Manner = "pass"
  delayMillis = 0
  /** Springs once, when somebody is about to send all of these texts at once; nothing passes any more then. */
  trap: { readonly texts: ReadonlyArray<string>; readonly spring: () => void } | undefined
  readonly random: Random

  private constructor(targetPort: number, random: Random) {
    this.random = random
    this.server = createServer({ noDelay: true }, (near) => {
      if (this.isCut) return void near.resetAndDestroy()
      const far = connect({ port: targetPort, host: "127.0.0.1", noDelay: true })
      const link = new Link(this, near, far, () => this.links.delete(link))
      this.links.add(link)
    })
  }

  static async start(targetPort: number, random: Random): Promise<Proxy> {
    const proxy = new Proxy(targetPort, random)
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve))
    return proxy
  }

  get port(): number {
    return (this.server.address() as { readonly port: number }).port
  }

  /** Connections are reset, new ones refused. */
  cut(): void {
    this.isCut = true
    for (const link of this.links) link.reset()
  }

  /** Nothing passes and nothing is lost, as with packets that are sent again until they arrive. */
  hold(): void {
    this.manner = "hold"
  }

  /** Existing connections carry nothing any more and neither end is told; new ones work. */
  swallow(): void {
    for (const link of this.links) link.die()
  }

  drip(): void {
    this.manner = "drip"
  }

  /** Whether these bytes spring the trap. */
  springs(bytes: Buffer): boolean {
    const { trap } = this
    if (trap === undefined || !trap.texts.every((text) => bytes.includes(text))) return false
    this.trap = undefined
    trap.spring()
    return true
  }

  delay(millis: number): void {
    this.manner = "delay"
    this.delayMillis = millis
  }

  /** Ends the disturbance, for all connections but dead ones. */
  restore(): void {
    this.isCut = false
    this.manner = "pass"
    for (const link of this.links) link.pump()
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    for (const link of this.links) link.reset()
    return closed
  }
}

class Link {
  private readonly near: Socket
  private readonly far: Socket
  private readonly ways: ReadonlyArray<Way>
  private readonly onEnd: () => void
  private isDead = false

  constructor(proxy: Proxy, near: Socket, far: Socket, onEnd: () => void) {
    this.near = near
    this.far = far
    this.onEnd = onEnd
    const there = new Way(proxy, near, far)
    const back = new Way(proxy, far, near)
    this.ways = [there, back]
    for (const [from, way] of [
      [near, there],
      [far, back]
    ] as const) {
      from.on("data", (bytes) => {
        if (from === near && proxy.springs(bytes)) this.reset()
        else if (!this.isDead) way.push(bytes)
      })
      from.on("error", () => {})
      from.on("close", () => this.ended(from, way))
    }
  }

  pump(): void {
    for (const way of this.ways) way.pump()
  }

  die(): void {
    this.isDead = true
    for (const way of this.ways) way.stop()
    this.near.resume()
    this.far.resume()
  }

  reset(): void {
    for (const way of this.ways) way.stop()
    this.near.resetAndDestroy()
    this.far.resetAndDestroy()
    this.onEnd()
  }

  private ended(from: Socket, way: Way): void {
    if (!this.isDead) way.push("end")
    else if (from === this.near) setTimeout(() => this.reset(), noticeMillis).unref()
    if (this.near.destroyed && this.far.destroyed) this.onEnd()
  }
}

/** One direction of a connection. */
class Way {
  private readonly proxy: Proxy
  private readonly from: Socket
  private readonly to: Socket
  private waiting: Array<{ readonly bytes: Buffer | "end"; readonly due: number }> = []
  private waitingBytes = 0
  private timer: NodeJS.Timeout | undefined
  private isFull = false

  constructor(proxy: Proxy, from: Socket, to: Socket) {
    this.proxy = proxy
    this.from = from
    this.to = to
    to.on("drain", () => {
      this.isFull = false
      this.pump()
    })
  }

  push(bytes: Buffer | "end"): void {
    const { manner, delayMillis } = this.proxy
    this.waiting.push({ bytes, due: performance.now() + (manner === "delay" ? delayMillis : 0) })
    if (bytes !== "end") this.waitingBytes += bytes.length
    if (this.waitingBytes > waitingMax) this.from.pause()
    this.pump()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.waiting = []
    this.waitingBytes = 0
  }

  /** Passes on what may pass now. */
  pump(): void {
    clearTimeout(this.timer)
    while (this.waiting.length > 0 && !this.isFull && this.proxy.manner !== "hold") {
      const { bytes, due } = this.waiting[0]!
      const wait = due - performance.now()
      if (wait > 0) return this.later(wait)
      this.waiting.shift()
      if (bytes === "end") return void this.to.destroySoon()
      const size = this.proxy.manner === "drip" ? this.proxy.random.between(1, dripBytesMax) : bytes.length
      this.write(bytes.subarray(0, size))
      if (size >= bytes.length) continue
      this.waiting.unshift({ bytes: bytes.subarray(size), due })
      return this.later(dripMillis)
    }
  }

  private write(bytes: Buffer): void {
    this.waitingBytes -= bytes.length
    if (this.waitingBytes <= waitingMax) this.from.resume()
    if (!this.to.destroyed && !this.to.write(bytes)) this.isFull = true
  }

  private later(millis: number): void {
    this.timer = setTimeout(() => this.pump(), millis)
  }
}

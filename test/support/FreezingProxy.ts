/** A TCP proxy whose connections can freeze: they stay open and carry nothing any more, and neither end notices. */
import { type Server, type Socket, connect, createServer } from "node:net"

export class FreezingProxy {
  private readonly server: Server
  private readonly links = new Set<Link>()
  private trap: string | undefined
  /** Connections so far. */
  opened = 0

  private constructor(targetPort: number) {
    this.server = createServer({ noDelay: true }, (near) => {
      this.opened += 1
      const link = new Link(near, connect({ port: targetPort, host: "127.0.0.1", noDelay: true }), (text) => {
        if (this.trap === undefined || !text.includes(this.trap)) return false
        this.trap = undefined
        return true
      })
      this.links.add(link)
    })
  }

  static async start(targetPort: number): Promise<FreezingProxy> {
    const proxy = new FreezingProxy(targetPort)
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve))
    return proxy
  }

  /** The same address through this proxy. */
  addressOf(url: string): string {
    const { port } = this.server.address() as { readonly port: number }
    return Object.assign(new URL(url), { port: `${port}` }).href
  }

  /** How many connections that have sent the text are open, frozen ones aside. */
  count(text: string): number {
    return [...this.links].filter((link) => link.isOpen && link.sent.includes(text)).length
  }

  /** Freezes the open connections that have sent the text; returns how many. */
  freeze(text: string): number {
    const found = [...this.links].filter((link) => link.isOpen && link.sent.includes(text))
    for (const link of found) link.freeze()
    return found.length
  }

  /** Freezes the next connection that is about to send the text, which does not arrive. */
  freezeAt(text: string): void {
    this.trap = text
  }

  /** Whether a connection is still to be frozen. */
  get isArmed(): boolean {
    return this.trap !== undefined
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    for (const link of this.links) link.close()
    return closed
  }
}

class Link {
  /** Everything that the client has sent. */
  sent = ""
  private isFrozen = false
  private readonly near: Socket
  private readonly far: Socket

  constructor(near: Socket, far: Socket, isTrapped: (text: string) => boolean) {
    this.near = near
    this.far = far
    near.on("data", (bytes) => {
      const text = bytes.toString("latin1")
      this.sent += text
      if (isTrapped(text)) this.isFrozen = true
      if (!this.isFrozen) far.write(bytes)
    })
    far.on("data", (bytes) => {
      if (!this.isFrozen) near.write(bytes)
    })
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      one.on("error", () => {})
      one.on("close", () => {
        if (!this.isFrozen) other.destroySoon()
      })
    }
  }

  get isOpen(): boolean {
    return !this.near.destroyed && !this.isFrozen
  }

  freeze(): void {
    this.isFrozen = true
  }

  close(): void {
    this.near.destroy()
    this.far.destroy()
  }
}

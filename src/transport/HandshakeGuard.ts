/**
 * A stream between a socket and TLS that limits what OpenSSL gets before the handshake is done: bytes, and time of the
 * event loop (HandshakeLane).
 *
 * OpenSSL reads up to 100 kB of certificates and verifies them at once: with 95 kB of name constraints, or of RSA keys
 * with long exponents, for 0.4 to 0.8 s. TLS that has a net.Socket reads from it natively, past all limits of ours;
 * from another stream it gets the bytes by a call, in the turn in which they are pushed.
 */
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { type HandshakeLane, handshakeLane } from "./HandshakeLane.ts"

/** Most bytes that the peer sends in a handshake. Chains of public CAs have 3 to 6 kB, long private ones 10. */
export const handshakeBytesMax = 16 * 1024

class HandshakeTooLong extends Error {
  readonly code = "ERR_TLS_HANDSHAKE_TOO_LONG"

  constructor() {
    super(`The TLS handshake was ended: more than ${handshakeBytesMax} bytes, perhaps of too many certificates.`)
  }
}

export class HandshakeGuard extends Duplex {
  /** Why the guard ended the connection. */
  fault: HandshakeTooLong | undefined
  private readonly socket: Socket
  private readonly owner: object
  private readonly lane: HandshakeLane
  private isDone = false
  /** Bytes of the handshake. */
  private received = 0
  /** Bytes that wait for their turn. */
  private held: Array<Buffer> = []
  private isWaiting = false
  private isEnded = false

  /** Handshakes of the same owner count together. */
  constructor(socket: Socket, owner: object, lane = handshakeLane) {
    super()
    this.socket = socket
    this.owner = owner
    this.lane = lane
    socket.on("data", (bytes: Buffer) => this.receive(bytes))
    socket.on("end", () => {
      this.isEnded = true
      if (!this.isWaiting) this.push(null)
    })
    socket.on("error", (error) => this.destroy(error))
    socket.on("close", () => this.destroy())
  }

  /** The handshake is done: later bytes pass. */
  done(): void {
    this.isDone = true
  }

  private receive(bytes: Buffer): void {
    if (this.isDone && !this.isWaiting) {
      if (!this.push(bytes)) this.socket.pause()
      return
    }
    this.held.push(bytes)
    this.received += bytes.length
    if (!this.isDone && this.received > handshakeBytesMax) {
      this.fault = new HandshakeTooLong()
      this.destroy(this.fault)
    } else if (!this.isWaiting) {
      this.isWaiting = true
      this.lane.run(this.owner, () => this.pass())
    }
  }

  private pass(): void {
    const bytes = Buffer.concat(this.held)
    this.held = []
    this.isWaiting = false
    if (this.destroyed) return
    this.push(bytes)
    if (this.isEnded) this.push(null)
  }

  override _read(): void {
    this.socket.resume()
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(bytes, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.socket.destroy()
    done(error)
  }
}

/**
 * Shares the event loop among TLS handshakes. OpenSSL needs 1 ms for a usual one, and for the worst chain of
 * certificates that HandshakeGuard lets pass 90 ms (35 signatures of the curve sect571r1).
 *
 * A step of a handshake that took long ends the turn for all handshakes, so that other work runs between two such
 * steps. An owner that was slow once is slow from then on: all slow owners together get a tenth of the time.
 */

/** A step of a handshake that took longer than this is slow, milliseconds of CPU time. */
const slowMillis = 10

/** Time without slow handshakes after one, as a multiple of its CPU time. */
const restFactor = 9

interface LaneClock {
  /** Milliseconds. */
  readonly now: () => number
  /** CPU time of this thread, milliseconds. Unlike `now` it leaves out the time that other processes had. */
  readonly spent: () => number
}

const systemClock: LaneClock = {
  now: () => performance.now(),
  spent: () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
}

export class HandshakeLane {
  private readonly clock: LaneClock
  private readonly slow = new WeakSet<object>()
  private isTurnSpent = false
  private restUntil = 0

  constructor(clock: LaneClock = systemClock) {
    this.clock = clock
  }

  /** Runs the step of this owner's handshake, at once or when it is its turn. */
  run(owner: object, step: () => void): void {
    const again = () => this.run(owner, step)
    if (this.isTurnSpent) return void setImmediate(again)
    const restMillis = this.restUntil - this.clock.now()
    if (restMillis > 0 && this.slow.has(owner)) return void setTimeout(again, restMillis).unref()
    const begun = this.clock.spent()
    step()
    const spentMillis = this.clock.spent() - begun
    if (spentMillis < slowMillis) return
    this.slow.add(owner)
    this.restUntil = this.clock.now() + restFactor * spentMillis
    this.isTurnSpent = true
    setImmediate(() => (this.isTurnSpent = false))
  }
}

/** The lane of this process. */
export const handshakeLane = new HandshakeLane()

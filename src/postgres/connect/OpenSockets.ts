/** The open sockets of a pool, each with a state, which a function polls. */
import type { Socket } from "node:net"

export class OpenSockets<State> {
  private readonly states = new Map<Socket, State>()
  private readonly look: (states: ReadonlyMap<Socket, State>) => void
  private readonly lookMillis: number
  private timer: NodeJS.Timeout | undefined

  /** `lookMillis`: time between two polls, milliseconds. There are none while no socket is open. */
  constructor(lookMillis: number, look: (states: ReadonlyMap<Socket, State>) => void) {
    this.look = look
    this.lookMillis = lookMillis
  }

  add(socket: Socket, state: State): Socket {
    this.states.set(socket, state)
    this.timer ??= setInterval(() => this.look(this.states), this.lookMillis).unref()
    return socket.once("close", () => {
      this.states.delete(socket)
      if (this.states.size > 0) return
      clearInterval(this.timer)
      this.timer = undefined
    })
  }
}

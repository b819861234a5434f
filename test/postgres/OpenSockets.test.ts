/** Looks at open sockets: from the first one to the end of the last one. */
import { Socket } from "node:net"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { OpenSockets } from "../../src/postgres/connect/OpenSockets.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
})
afterEach(() => {
  vi.useRealTimers()
})

const closed = async (socket: Socket) => {
  const ended = new Promise((resolve) => socket.once("close", resolve))
  socket.destroy()
  await ended
}

it("looks at the sockets that are open, and at none after the last one has closed, until another one opens", async () => {
  const looks: Array<ReadonlyArray<string>> = []
  const open = new OpenSockets<string>(10, (states) => looks.push([...states.values()]))
  const [first, second, third] = [new Socket(), new Socket(), new Socket()]
  expect(vi.getTimerCount()).toBe(0)
  expect(open.add(first, "first")).toBe(first)
  open.add(second, "second")
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(10)
  await closed(first)
  vi.advanceTimersByTime(10)
  await closed(second)
  expect(vi.getTimerCount()).toBe(0)
  open.add(third, "third")
  vi.advanceTimersByTime(10)
  expect(looks).toEqual([["first", "second"], ["second"], ["third"]])
  await closed(third)
  expect(vi.getTimerCount()).toBe(0)
})

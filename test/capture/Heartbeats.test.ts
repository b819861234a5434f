import { describe, expect, test } from "vitest"
import { Heartbeats } from "../../src/capture/slot/Heartbeats.ts"

const sendAll = (heartbeats: Heartbeats, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => heartbeats.send(at)!.content)

describe("heartbeats", () => {
  test("of which a thousand are under way are not sent until one comes back", () => {
    const heartbeats = new Heartbeats()
    const sent = sendAll(heartbeats, 1000)
    expect(heartbeats.send(1000)).toBeUndefined()
    heartbeats.confirm(sent[0]!, 1001)
    expect(heartbeats.send(1002)).toBeDefined()
    expect(heartbeats.send(1003)).toBeUndefined()
  })

  test("that come back free the places of older ones, and tell the server's time of their transaction", () => {
    const heartbeats = new Heartbeats()
    sendAll(heartbeats, 999)
    const last = heartbeats.send(999)!
    last.sent("12:00")
    expect(heartbeats.confirm(last.content, 1000)).toBe("12:00")
    expect(sendAll(heartbeats, 1000).length).toBe(1000)
  })

  test("count once, and only if they are ours", () => {
    const heartbeats = new Heartbeats()
    const { content, sent } = heartbeats.send(0)!
    sent("12:00")
    expect(heartbeats.confirm("a guess", 5)).toBeUndefined()
    expect(heartbeats.lagMillis(5)).toBe(5)
    expect(heartbeats.confirm(content, 7)).toBe("12:00")
    expect(heartbeats.confirm(content, 9)).toBeUndefined()
    expect(heartbeats.lagMillis(100)).toBe(7)
  })

  test("tell the lag of the last one, or of a slower one under way", () => {
    const heartbeats = new Heartbeats()
    const first = heartbeats.send(0)!
    heartbeats.confirm(first.content, 40)
    heartbeats.send(100)
    expect([heartbeats.lagMillis(120), heartbeats.lagMillis(150)]).toEqual([40, 50])
  })
})

import { describe, expect, it } from "vitest"
import { ReadAhead } from "../../src/deliver/actor/ReadAhead.ts"

const started = () => {
  let now = 1000
  const ahead = new ReadAhead(() => now)
  return { ahead, pass: (millis: number) => (now += millis) }
}

describe("how many entries a read asks for", () => {
  it("is the room, where nothing was read before", () => {
    const { ahead } = started()
    expect(ahead.portion(16)).toBe(16)
  })

  it("is more than the room where entries go fast, and no more than go within 40 ms", () => {
    const { ahead, pass } = started()
    ahead.brought(16)
    pass(20)
    expect(ahead.portion(8)).toBe(32)
  })

  it("is 64 at most, or the room if that is more", () => {
    const { ahead, pass } = started()
    ahead.brought(64)
    pass(2)
    expect([ahead.portion(8), ahead.portion(100)]).toEqual([64, 100])
  })

  it("is as much before there is room, unless half of it is held already", () => {
    const { ahead, pass } = started()
    ahead.brought(64)
    pass(10)
    expect([0, 32, 33].map((held) => ahead.beforehand(held))).toEqual([64, 64, 0])
  })

  it("is nothing before there is room where entries go slowly", () => {
    const { ahead, pass } = started()
    ahead.brought(1)
    pass(50)
    expect(ahead.beforehand(0)).toBe(0)
  })

  it("is the room again when the receiver becomes slow", () => {
    const { ahead, pass } = started()
    ahead.brought(64)
    pass(1000)
    expect(ahead.portion(8)).toBe(8)
  })
})

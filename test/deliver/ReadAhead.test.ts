import { describe, expect, it } from "vitest"
import { ReadAhead } from "../../src/deliver/reading/ReadAhead.ts"

const started = () => {
  let now = 1000
  const ahead = new ReadAhead(() => now)
  return { ahead, pass: (millis: number) => (now += millis) }
}

describe("how many entries a read asks for", () => {
  it("is the room, where nothing has begun", () => {
    const { ahead, pass } = started()
    expect(ahead.portion(16)).toBe(16)
    pass(100)
    expect(ahead.portion(16)).toBe(16)
  })

  it("is more than the room where entries go fast, and no more than go within 40 ms", () => {
    const { ahead, pass } = started()
    ahead.began(10)
    ahead.began(6)
    pass(20)
    expect(ahead.portion(8)).toBe(32)
  })

  it("is 128 at most, or the room if that is more", () => {
    const { ahead, pass } = started()
    ahead.began(200)
    pass(20)
    expect([ahead.portion(8), ahead.portion(200)]).toEqual([128, 200])
  })

  it("keeps the pace that was measured until another one can be", () => {
    const { ahead, pass } = started()
    ahead.began(16)
    pass(20)
    expect(ahead.portion(0)).toBe(32)
    ahead.began(100)
    pass(1)
    expect(ahead.portion(0)).toBe(32)
  })

  it("is as much before there is room, unless half of it is held already", () => {
    const { ahead, pass } = started()
    ahead.began(32)
    pass(20)
    expect([0, 32, 33].map((held) => ahead.beforehand(held))).toEqual([64, 64, 0])
  })

  it("is nothing before there is room where entries go slowly", () => {
    const { ahead, pass } = started()
    ahead.began(1)
    pass(50)
    expect(ahead.beforehand(0)).toBe(0)
  })

  it("is the room again when the receiver becomes slow", () => {
    const { ahead, pass } = started()
    ahead.began(64)
    pass(10)
    expect(ahead.portion(8)).toBe(128)
    pass(1000)
    expect(ahead.portion(8)).toBe(8)
  })
})

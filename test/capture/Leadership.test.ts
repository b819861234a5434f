import { describe, expect, it } from "vitest"
import { hangs } from "../../src/capture/slot/Leadership.ts"
import { usualPace } from "../../src/eventloop/Pace.ts"

const { hangMillis } = usualPace.capture

describe("a leader hangs", () => {
  it("if it has been silent for eight seconds while others were not", () => {
    expect([2000, 7900, 8100].map((silentMillis) => hangs({ silentMillis, beganHere: 1 }, hangMillis))).toEqual([
      false,
      false,
      true
    ])
  })

  it("twice as long after each leader that was ended before it came any further, up to 128 seconds", () => {
    const patience = [0, 1, 2, 3, 4, 5, 6, 50].map((beganHere) =>
      [8, 16, 32, 64, 128, 256].find((seconds) => hangs({ silentMillis: seconds * 1000 + 1, beganHere }, hangMillis))
    )
    expect(patience).toEqual([8, 8, 16, 32, 64, 128, 128, 128])
  })

  it("not where nothing is known of its process", () => {
    expect(hangs({ silentMillis: null, beganHere: 1 }, hangMillis)).toBe(false)
  })
})

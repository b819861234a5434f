/** How long a flooding source rests for the others of its process. */
import { describe, expect, it } from "vitest"
import { restMillis } from "../../src/source/Capacity.ts"

const began = 100_000
const wait = { began, now: began + 20 }

describe("a source that had to wait for capture", () => {
  it("rests longer than it waited while another source has events", () => {
    const last = new Map([
      [1, began],
      [2, began - 500]
    ])
    expect(restMillis(1, last, wait)).toBe(60)
  })

  it("does not rest for its own events, nor for those of a source that had none lately", () => {
    expect(restMillis(1, new Map([[1, began]]), wait)).toBe(0)
    expect(restMillis(1, new Map([[2, began - 1500]]), wait)).toBe(0)
    expect(restMillis(1, new Map(), wait)).toBe(0)
  })

  it("rests for a quarter of a second at most, also where capture takes nothing", () => {
    expect(restMillis(1, new Map([[2, began]]), { began, now: began + 300 })).toBe(250)
  })
})

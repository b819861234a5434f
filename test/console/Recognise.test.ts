/** Values that a search recognises by their shape. */
import { describe, expect, it } from "vitest"
import { recognise } from "../../src/console/search/Recognise.ts"

describe("a search recognises", () => {
  it.each([
    ["12", { kind: "object", id: 12 }],
    ["#12", { kind: "object", id: 12 }],
    ["6F1B8A4E-0C7D-4E0A-9D8C-1B2A3C4D5E6F", { kind: "request", id: "6f1b8a4e-0c7d-4e0a-9d8c-1b2a3c4d5e6f" }],
    ["3-26741400-0", { kind: "delivery", id: "3-26741400-0" }],
    ["0/1980A58", { kind: "lsn", lsn: 0x1980a58n }],
    ["2/0", { kind: "lsn", lsn: 0x200000000n }]
  ])("%s", (text, named) => {
    expect(recognise(text)).toEqual(named)
  })

  it.each(["", "leaf-01", "1234567890123456", "10.0.0.0/8", "eth1/0/3", "xe-0/0/0", "2024-01-02", "1-2", "G/1"])(
    "nothing in '%s'",
    (text) => {
      expect(recognise(text)).toBeUndefined()
    }
  )
})

/** The picture of a topology. */
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { DrawnDevice, Line, Topology } from "../../src/topology/Devices.ts"
import { drawTopology } from "../../src/topology/Topology.ts"
import { runs } from "../support/Seed.ts"

const device = (id: number, more: Partial<DrawnDevice> = {}): DrawnDevice => ({
  ...{ id, label: `sw${id}`, status: "active", role: [7, "Switch", "336699"], rack: [3, "R3"] },
  ...more
})

const line = (a: number, b: number, more: Partial<Line> = {}): Line => ({
  ...{ isWireless: false, a, b, count: 1, connected: 1, planned: 0, cables: [a * 10] },
  ...more
})

const draw = (devices: ReadonlyArray<DrawnDevice>, lines: ReadonlyArray<Line>, grouping: "rack" | "none" = "rack") => {
  const topology: Topology = {
    devices,
    lines,
    total: devices.length,
    cables: 0,
    joining: 0,
    links: 0,
    pairs: lines.length
  }
  return Effect.runPromise(drawTopology(topology, grouping, "/x"))
}

describe("the picture of a topology", () => {
  it("has a box for each group, a link for each device and one for the cables between two", async () => {
    const devices = [device(1), device(2), device(3, { rack: null, status: "planned", role: null })]
    const svg = await draw(devices, [line(1, 2, { count: 3, connected: 2, planned: 1, cables: [5, 6, 7] }), line(2, 3)])
    expect([...svg.matchAll(/class="box-title[^>]*>([^<]*)</g)].map(([, title]) => title).sort()).toEqual([
      "No rack",
      "R3"
    ])
    expect(svg).toContain('href="/x/dcim/devices/1/"')
    expect(svg).toContain("<title>sw1, Switch, active</title>")
    expect(svg).toContain('href="/x/dcim/cables/?id=5&amp;id=6&amp;id=7"')
    expect(svg).toContain("<title>3 cables between sw1 and sw2: 2 connected, 1 planned</title>")
    expect(svg).toMatch(/class="count halo"[^>]*>3<\/text>/)
    expect(svg).toContain('href="/x/dcim/cables/20/"')
    expect(svg).toContain('fill="#336699"')
    expect(await draw(devices, [], "none")).not.toContain("box-title")
  })

  it("shows the status of cables by the kind of the line", async () => {
    const dashes = async (connected: number, planned: number) => {
      const svg = await draw([device(1), device(2)], [line(1, 2, { count: 2, connected, planned })], "none")
      return /class="cable"[^>]*?(?:stroke-dasharray="([^"]*)")/.exec(svg)?.[1]
    }
    expect([await dashes(1, 1), await dashes(0, 2), await dashes(0, 0)]).toEqual([undefined, "7 5", "2 4"])
  })

  it("has wireless links as dashed lines of their own, beside those of cables", async () => {
    const lines = [line(1, 2), line(1, 2, { isWireless: true, cables: [7] })]
    const svg = await draw([device(1), device(2)], lines, "none")
    expect(svg).toContain("<title>Wireless link between sw1 and sw2: 1 connected</title>")
    expect(svg).toContain('href="/x/wireless/wireless-links/7/"')
    const [cable, link] = [...svg.matchAll(/class="cable" d="([^"]*)"[^>]*?(?:stroke-dasharray="([^"]*)")?\/?>/g)]
    expect([cable![2], link![2]]).toEqual([undefined, "12 4 2 4"])
    expect(cable![1]).not.toBe(link![1])
  })

  it("is well-formed and without scripts for any text, whose width is bounded", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), async (label, name) => {
        const hostile = `${label}"><script>x</script>`
        const svg = await draw(
          [device(1, { label: hostile, rack: [1, `${name}</text><script>`] }), device(2)],
          [line(1, 2)]
        )
        expect(svg).not.toMatch(/<script|<[^a-z/]/)
        // oxlint-disable-next-line no-control-regex
        expect(svg).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f]/)
        expect(svg.isWellFormed()).toBe(true)
      }),
      { numRuns: runs(200) }
    )
  })
})

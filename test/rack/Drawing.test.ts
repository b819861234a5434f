/** The picture of a rack. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Elevation, type ShownDevice, drawElevation, usualSize } from "../../src/rack/Drawing.ts"
import { contrast, escaped, readableOn } from "../../src/rack/Svg.ts"
import { type Face, type Mounted, halfUnits } from "../../src/rack/Units.ts"
import { runs } from "../support/Seed.ts"

const frame = { height: 4, isDescending: false }

const mounted = (id: number, position: number, more: Partial<Mounted> = {}): Mounted => ({
  ...{ id, position, height: 1, face: "front", isFullDepth: false },
  ...more
})

const shown = (id: number, more: Partial<ShownDevice> = {}): ShownDevice => ({
  ...{ id, label: `sw${id}`, note: `Name: sw${id}`, color: "9e9e9e", isHighlighted: false },
  ...more
})

interface Drawn extends Partial<Omit<Elevation, "devices">> {
  readonly mounted?: ReadonlyArray<Mounted>
  readonly devices?: ReadonlyArray<ShownDevice>
}

const draw = ({ mounted = [], devices = [], face = "front", ...more }: Drawn): string =>
  drawElevation({
    ...{ rack: { id: 7, name: "R1", site: 2, location: 3 }, frame, face, size: usualSize, base: "", canAdd: false },
    units: halfUnits(frame, mounted, [{ id: 5, units: [2, 3] }], face),
    reservations: new Map(),
    devices: new Map(devices.map((each) => [each.id, each])),
    ...more
  })

describe("the picture of a rack", () => {
  it("has the size of its units, legend and margin, and a number for each unit", () => {
    const svg = draw({})
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="269" height="92" viewBox="0 0 269 92"/)
    expect([...svg.matchAll(/>(\d+)<\/text>/g)].map(([, number]) => number)).toEqual(["4", "3", "2", "1"])
  })

  it("shows a device at its place with its colour, and leads to its page", () => {
    const svg = draw({
      mounted: [mounted(1, 2, { height: 2 })],
      devices: [shown(1, { color: "000080", isHighlighted: true })],
      base: "https://inventory.example/x"
    })
    expect(svg).toContain(
      '<a href="https://inventory.example/x/dcim/devices/1/" target="_parent"><title>Name: sw1</title>'
    )
    expect(svg).toContain('<rect x="32" y="24" width="220" height="44" fill="#000080" stroke="#9aa5b1"></rect>')
    expect(svg).toContain('stroke-width="3"')
    expect(svg).toMatch(/fill="#ffffff"[^>]*>sw1<\/text>/)
  })

  it("numbers units from above where the rack does", () => {
    const descending = { height: 4, isDescending: true }
    const at = (position: number) => halfUnits(descending, [mounted(1, position)], [], "front")
    const top = draw({ frame: descending, units: at(1), devices: [shown(1)] })
    expect(top).toContain('y="2" width="220" height="22" fill="#9e9e9e"')
    expect(draw({ frame: descending, units: at(4), devices: [shown(1)] })).toContain('y="68" width="220" height="22"')
  })

  it("hatches a device of the other face, and leaves one of half depth out", () => {
    const deep = mounted(1, 1, { face: "rear", isFullDepth: true })
    const svg = draw({ mounted: [deep, mounted(2, 3, { face: "rear" })], devices: [shown(1), shown(2)] })
    expect(svg).toContain('height="22" fill="url(#opposite-front-7)"')
    expect(svg).toContain("sw1")
    expect(svg).not.toContain("sw2")
    expect(draw({ face: "rear", mounted: [deep], devices: [shown(1)] })).toContain('height="22" fill="#9e9e9e"')
  })

  it("shows nothing of hidden devices, nor where one ends and the next begins", () => {
    const hidden = (devices: ReadonlyArray<Mounted>) => draw({ mounted: devices, canAdd: true })
    const two = hidden([mounted(1, 1), mounted(2, 2, { face: "rear", isFullDepth: true, height: 2 })])
    expect(two).toBe(hidden([mounted(9, 1, { height: 3 })]))
    expect(two).not.toMatch(/devices\/\d/)
    expect([...two.matchAll(/devices\/add/g)]).toHaveLength(1)
  })

  it("leads from a free unit to the form of a device there, for readers who may add one", () => {
    const svg = draw({ mounted: [mounted(1, 1.5)], canAdd: true, base: "/x" })
    const links = [...svg.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!.replaceAll("&amp;", "&"))
    const form = (position: number) => `/x/dcim/devices/add/?site=2&location=3&rack=7&face=front&position=${position}`
    expect(links).toEqual([form(1), form(2.5), form(3), form(4)])
    expect(draw({})).not.toContain("/add/")
  })

  it("shows reservations beside the units, those that the reader may view", () => {
    const svg = draw({ reservations: new Map([[5, "For <later>"]]) })
    expect(svg).toContain(
      '<a href="/dcim/rack-reservations/5/" target="_parent"><title>For &lt;later&gt;</title><rect x="252" y="24" width="15" height="44" fill="url(#reserved-front-7)"'
    )
    expect(draw({})).not.toContain("rack-reservations")
    const narrow = draw({ reservations: new Map([[5, "For"]]), size: { ...usualSize, marginWidth: 0, legendWidth: 0 } })
    expect(narrow).not.toMatch(/rack-reservations|<text/)
  })

  it("is well-formed and without scripts for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (label, name) => {
        const hostile = `${label}"><script>x</script>`
        const faces: ReadonlyArray<Face> = ["front", "rear"]
        for (const face of faces) {
          const svg = draw({
            ...{
              face,
              mounted: [mounted(1, 1, { isFullDepth: true })],
              rack: { id: 1, name, site: 1, location: null }
            },
            devices: [shown(1, { label: hostile, note: hostile })]
          })
          expect(svg).not.toMatch(/<script|<[^a-z/]/)
          // oxlint-disable-next-line no-control-regex
          expect(svg).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f]/)
          expect(svg.isWellFormed()).toBe(true)
          expect([...svg.matchAll(/<title>[^<]*<\/title>/g)]).toHaveLength(1)
        }
      }),
      { numRuns: runs(200) }
    )
    expect(escaped("a\0b\ud800 <&>\"'")).toBe("a\ufffdb\ufffd &lt;&amp;&gt;&quot;&#39;")
  })

  it("cuts a label of wide letters earlier, and keeps one that fits", () => {
    const labelOf = (label: string): string | undefined =>
      /class="own"[^>]*>([^<]*)</.exec(draw({ mounted: [mounted(1, 1)], devices: [shown(1, { label })] }))?.[1]
    expect(labelOf("w".repeat(64))).toBe(`${"w".repeat(15)}…`)
    expect(labelOf("🚀".repeat(32))).toBe(`${"🚀".repeat(12)}…`)
    expect(labelOf("access-switch-01.ams")).toBe("access-switch-01.ams")
  })

  it("cuts a label that is longer than its unit", () => {
    const svg = draw({ mounted: [mounted(1, 1)], devices: [shown(1, { label: "x".repeat(1000) })] })
    expect(/>(x+…)<\/text>/.exec(svg)?.[1]).toHaveLength(26)
  })
})

describe("a label", () => {
  it("is readable on every colour", () => {
    const color = fc.integer({ min: 0, max: 0xffffff }).map((number) => number.toString(16).padStart(6, "0"))
    fc.assert(
      fc.property(color, (ground) => contrast(ground, readableOn(ground)) >= 4.5),
      { numRuns: runs(1000) }
    )
    expect([readableOn("ffeb3b"), readableOn("000080")]).toEqual(["000000", "ffffff"])
    expect(contrast("000000", "ffffff")).toBeCloseTo(21)
  })
})

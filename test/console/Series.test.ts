import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withOwnSlug, withSlug } from "../../src/console/form/Cells.ts"
import { formOf } from "../../src/console/form/FormField.ts"
import { namesIn, rangedOf, seriesMax, seriesOf } from "../../src/console/form/Series.ts"
import { objectType } from "../../src/inventory/Registry.ts"

describe("names with ranges", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    ["Eth[1-3]", ["Eth1", "Eth2", "Eth3"]],
    ["[ge,xe]-0/0/[0-1]", ["ge-0/0/0", "ge-0/0/1", "xe-0/0/0", "xe-0/0/1"]],
    ["P[a-c]", ["Pa", "Pb", "Pc"]],
    ["P[A-B]", ["PA", "PB"]],
    ["u[08-11]", ["u08", "u09", "u10", "u11"]],
    ["x[1,3-4]", ["x1", "x3", "x4"]]
  ])("%s means all of them", (text, names) => expect(namesIn(text)).toEqual(names))

  it.each(["", "Eth1", "a]b", "a[b", "[]", "[x]", "[1]", "[3-1]", "[a-C]", "[1-]", "[,]", "[a-1]", "[[1-2"])(
    "%j is a name as it is",
    (text) => expect(namesIn(text)).toEqual([text])
  )

  it("of more than the most are refused before they are made", () => {
    for (const text of ["[1-2000]", "[0-999999999]", "[1-40][1-40]", "[1-9]".repeat(400)])
      expect(namesIn(text)).toBeUndefined()
    expect(namesIn(`[1-${seriesMax}]`)).toHaveLength(seriesMax)
  })

  it("are as many as the product of the ranges, all different", () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(30), (a, b) => {
        const names = namesIn(`x[0-${a}]/[0-${b}]`)!
        expect(new Set(names).size).toBe((a + 1) * (b + 1))
      })
    )
  })
})

describe("a form that adds several objects", () => {
  const frontPort = objectType("dcim.frontport")

  it("gives each its name, its label and the next position of the rear port", () => {
    const cells = { device: "7", name: "F[1-2]", label: "[A-B]", rear_port_position: "5", description: "[1-2]" }
    expect(seriesOf(frontPort, cells)).toEqual({
      all: [
        { device: "7", name: "F1", label: "A", rear_port_position: "5", description: "[1-2]" },
        { device: "7", name: "F2", label: "B", rear_port_position: "6", description: "[1-2]" }
      ]
    })
  })

  it("takes one label for all, and refuses another number of labels", () => {
    expect(seriesOf(frontPort, { name: "F[1-2]", label: "L" })).toMatchObject({ all: [{ label: "L" }, { label: "L" }] })
    expect(seriesOf(frontPort, { name: "F[1-3]", label: "[A-B]" })).toMatchObject({ field: "label" })
    expect(seriesOf(frontPort, { name: "F[1-3][0-999]" })).toMatchObject({ field: "name" })
  })

  it("has a limit for the texts of all objects together", () => {
    const cells = { name: "F[1-1000]", description: "a".repeat(1000) }
    expect(seriesOf(frontPort, cells)).toMatchObject({ all: expect.any(Array) })
    expect(seriesOf(frontPort, { ...cells, comments: "a".repeat(2000) })).toMatchObject({ field: "name" })
  })

  it("is the one of objects whose names only their owner distinguishes", () => {
    const ranged = ["dcim.interface", "dcim.consoleporttemplate", "virtualization.vminterface", "dcim.devicebay"]
    for (const id of ranged) expect([id, rangedOf(objectType(id)).texts[0]]).toEqual([id, "name"])
    for (const id of ["dcim.site", "ipam.vlan", "extras.tag"]) {
      expect([id, rangedOf(objectType(id)).texts]).toEqual([id, []])
    }
  })

  it("adds several objects of types whose names are unique within what they must have, unless they have a slug", () => {
    const texts = ["dcim.device", "dcim.interface", "ipam.vlan", "dcim.site"].map(
      (id) => rangedOf(objectType(id)).texts
    )
    expect(texts).toEqual([["name"], ["name", "label"], [], []])
    expect(seriesOf(objectType("dcim.device"), { name: "leaf-[1-2]", site: "7" })).toEqual({
      all: [
        { name: "leaf-1", site: "7" },
        { name: "leaf-2", site: "7" }
      ]
    })
  })

  it("makes a slug of each name where it was made of the range, and keeps one that was typed", () => {
    const form = formOf(objectType("dcim.location"), [], true)
    const slugs = (slug: string) => {
      const cells = withSlug(form, { name: "Room [1-3]", slug, site: "7" })
      const series = seriesOf(form.type, cells)
      return "all" in series ? series.all.map((each) => withOwnSlug(form, cells, each)["slug"]) : []
    }
    expect(slugs("")).toEqual(["room-1", "room-2", "room-3"])
    expect(slugs("room-1-3")).toEqual(["room-1", "room-2", "room-3"])
    expect(slugs("hall")).toEqual(["hall", "hall", "hall"])
  })
})

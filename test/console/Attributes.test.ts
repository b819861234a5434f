/** The attributes on the page of an object: grouped by meaning, and in the words of people. */
import { describe, expect, it } from "vitest"
import { attributesCard } from "../../src/console/object/Attributes.ts"
import { meaningOf } from "../../src/console/object/Meaning.ts"
import { shownColumns } from "../../src/console/list/Columns.ts"
import { fieldTitle } from "../../src/console/value/Title.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"

const types = [...registry.values()]

describe("attributes", () => {
  it("are grouped by meaning, from the declaration alone", () => {
    const type = objectType("dcim.device")
    const groups = Object.fromEntries(meaningOf(type, shownColumns(type)))
    expect(Object.keys(groups).slice(0, 3)).toEqual(["", "Place", "Management"])
    expect(groups["Place"]).toEqual(["site", "location", "rack", "position", "face"])
    expect(groups["Management"]?.[0]).toBe("status")
    expect(groups["Management"]).toContain("primary_ip4")
  })

  it("are each in one group, for every type", () => {
    const grouped = (type: ObjectType) => meaningOf(type, shownColumns(type)).flatMap(([, own]) => own)
    const wrong = types.filter((type) => `${[...grouped(type)].sort()}` !== `${[...shownColumns(type)].sort()}`)
    expect(wrong.map(({ id }) => id)).toEqual([])
  })

  it("have no title that only programs read", () => {
    const titles = types.flatMap((type) => shownColumns(type).map(fieldTitle))
    expect(titles.filter((title) => !/^[A-Zv][^_.]*$/.test(title))).toEqual([])
  })

  it("that are empty are folded, and times are last", () => {
    const shown = { name: "R1", slug: "r1", parent: null, description: "", created: "2026-11-20T10:00:00.000000Z" }
    const { text } = attributesCard(objectType("dcim.region"), shown)
    expect(text.replaceAll(/<[^>]+>|\s+/g, " ").replaceAll(/ +/g, " ")).toMatch(
      /Region Name R1 Slug r1 2 empty Parent, Description Created 2026-11-20 10:00 UTC/
    )
  })

  it("name object types as people do", () => {
    const { text } = attributesCard(objectType("extras.savedfilter"), { content_types: ["dcim.device", "dcim.site"] })
    expect(text).toContain("Device, Site")
    expect(text).not.toContain("dcim.")
  })

  it("have the unit that the type declares, and larger ones where people use these", () => {
    const shown = { weight: 12.5, weight_unit: { value: "kg", label: "Kilograms" }, u_height: 42, max_weight: null }
    const rack = attributesCard(objectType("dcim.rack"), shown).text.replaceAll(/<[^>]+>|\s+/g, " ")
    expect(rack).toContain("42 U")
    expect(rack).toContain("12.5 kg")
    expect(rack).not.toContain("Weight unit")
    const { text } = attributesCard(objectType("dcim.interface"), { speed: 2_500_000, mtu: 9000 })
    expect(text).toContain("2.5 Gbit/s")
    expect(text).toContain("9,000 bytes")
  })

  it("show a colour, a choice by its label, and each end of a cable with its device", () => {
    const device = { url: "http://h/api/dcim/devices/1/", display: "sw1" }
    const end = (name: string) => ({
      ...{ object_type: "dcim.interface", object_id: 1 },
      object: { url: "http://h/api/dcim/interfaces/1/", display: name, device }
    })
    const shown = { type: "cat6", color: "00ff00", a_terminations: [end("eth0")], b_terminations: [] }
    const { text } = attributesCard(objectType("dcim.cable"), shown)
    expect(text).toContain("CAT6")
    expect(text).toContain('fill="#00ff00"')
    expect(text).toMatch(/sw1<\/a>.*eth0<\/a>/s)
    expect(text).not.toContain("object_type")
  })
})

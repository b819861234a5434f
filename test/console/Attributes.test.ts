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
})

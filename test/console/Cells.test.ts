import { describe, expect, it } from "vitest"
import { bodyOf, cellsIn, cellsOf, withoutLong } from "../../src/console/form/Cells.ts"
import { conflicting, wasIn, withChoices } from "../../src/console/form/Conflict.ts"
import { formOf } from "../../src/console/form/FormField.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"

const form = formOf(objectType("dcim.site"), [])
const row = { id: 1, name: "Oslo", slug: "oslo", description: "a\r\nb", region: 5, tags: [1, 2], comments: "" }

describe("the cells of a form", () => {
  it("are no change where browsers write line breaks in their own way", () => {
    const sent = new URLSearchParams({ description: "a\r\nb", name: "Oslo", tags: "1,2" })
    expect(bodyOf(form, cellsOf(form, row), cellsIn(form, sent))).toEqual({})
  })

  it("change what differs, and nothing that the form left out", () => {
    const sent = new URLSearchParams({ description: "a\n", region: "", tags: "core" })
    const body = { description: "a\n", region: null, tags: [{ slug: "core" }] }
    expect(bodyOf(form, cellsOf(form, row), cellsIn(form, sent))).toEqual(body)
  })

  it("name the ends of a cable by the type that is chosen for its side", () => {
    const cable = formOf(objectType("dcim.cable"), [])
    const joined = {
      id: 7,
      a_type: "dcim.frontport",
      a_terminations: [5],
      b_type: "dcim.interface",
      b_terminations: [6]
    }
    const change = (sent: Readonly<Record<string, string>>) =>
      bodyOf(cable, cellsOf(cable, joined), cellsIn(cable, new URLSearchParams(sent)))
    const end = (type: string, id: unknown) => ({ object_type: `dcim.${type}`, object_id: id })
    expect(change({ a_type: "dcim.frontport", a_terminations: "5" })).toEqual({})
    expect(change({ a_terminations: "5,x" })).toEqual({
      a_terminations: [end("frontport", "5"), end("frontport", { name: "x" })]
    })
    expect(change({ a_type: "dcim.rearport", a_terminations: "5" })).toEqual({
      a_terminations: [end("rearport", "5")]
    })
  })

  it("that are too long for a form are left out, the longest first", () => {
    const [short, long, umlauts] = ["x".repeat(19_000), "x".repeat(20_001), "ü".repeat(15_000)]
    expect(Object.keys(withoutLong({ a: short, b: long }))).toEqual(["a"])
    // Each umlaut is sent as six bytes.
    expect(Object.keys(withoutLong({ a: short, b: umlauts }))).toEqual(["a"])
    expect(Object.keys(withoutLong({ a: short, b: short }))).toEqual(["a", "b"])
  })

  it("of a conflict are those that somebody else changed to another value", () => {
    const was = { name: "Oslo", description: "old", facility: "F1", comments: "old" }
    const now = { name: "Oslo", description: "theirs", facility: "F2", comments: "same" }
    const mine = { name: "Mine", description: "mine", facility: "F1", comments: "same" }
    const names = conflicting(form, { was, now }, mine).map(({ name }) => name)
    expect(names.toSorted()).toEqual(["description", "facility"])
    const sent = new URLSearchParams({ _take_description: "was", _take_facility: "now", _take_name: "nonsense" })
    expect(withChoices(form, mine, sent, { was, now })).toEqual({ ...mine, description: "old", facility: "F2" })
  })

  it("of before are read from any text, and are those of now where it tells nothing", () => {
    const now = cellsOf(form, row)
    for (const text of ["", "{", "null", "7", "[]"]) {
      const sent = new URLSearchParams({ _was: text })
      expect(wasIn(form, sent, now)).toEqual(now)
    }
    expect(wasIn(form, new URLSearchParams({ _was: `{"name":"Before"}`, slug: "x" }), now)).toMatchObject({
      ...{ name: "Before", slug: "", description: "a\nb" }
    })
  })
})

describe("the groups of a form", () => {
  it("hold every field of every type that people may set, once", () => {
    for (const type of registry.values()) {
      const written = Object.entries(type.fields).filter(
        // An image is uploaded by a form of its own.
        ([name, { wire, format }]) =>
          (wire === "both" || wire === "write") && name !== "custom_fields" && format !== "image"
      )
      // A side of a cable has a choice of the type of its ends beside them.
      const typesOfEnds = written.flatMap(([, { reference }]) => reference?.ends?.typeIn ?? [])
      const { fields } = formOf(type, [])
      expect([type.id, fields.map(({ name }) => name).toSorted()]).toEqual([
        type.id,
        [...written.map(([name]) => name), ...typesOfEnds].toSorted()
      ])
      // A group of one field is worth its heading only if it is declared, or holds notes.
      const sizes = [...Map.groupBy(fields, ({ group }) => group)].filter(([, { length }]) => length === 1)
      const single = sizes.map(([group]) => group).filter((group) => !Object.hasOwn(type.groups, group))
      expect([type.id, single.filter((group) => ["Classification", "Place", "Addresses", ""].includes(group))]).toEqual(
        [type.id, []]
      )
    }
  })
})

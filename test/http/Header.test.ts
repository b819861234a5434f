/** Headers of tables: separators, and headings as people and other tools write them. */
import { describe, expect, test } from "vitest"
import { headerOf } from "../../src/http/files/Header.ts"

const known = {
  id: "value",
  name: "text",
  primary_ip4: "reference",
  device: "reference",
  tags: "reference",
  position: "value"
} as const

const read = (text: string) => headerOf(text, known, 1000)

describe("a header", () => {
  test.each([
    ["name,device", ","],
    ["name;device", ";"],
    ["name\tdevice", "\t"],
    ["name|device", "|"],
    ['"name";"device"', ";"],
    ["\uFEFFname;device\n1,2;3", ";"]
  ])("%j is separated by %j", (text, separator) => {
    expect(read(text)).toEqual({ separator, columns: ["name", "device"], cells: 2 })
  })

  test("names columns by name or title, whatever the case", () => {
    const { columns } = read("ID, Name ,Primary IPv4,DEVICE,Position")
    expect(columns).toEqual(["id", "name", "primary_ip4", "device", "position"])
  })

  test("names attributes of references", () => {
    expect(read("name,device.name,Device.Site.slug,tags.slug").columns).toEqual([
      "name",
      "device.name",
      "device.site.slug",
      "tags.slug"
    ])
  })

  test("may end with a separator", () => {
    expect(read("name;device;\n")).toEqual({ separator: ";", columns: ["name", "device"], cells: 3 })
  })

  test.each([
    ["name,nope,device.", "Unknown columns: nope, device.."],
    ["name.x,device", "Unknown columns: name.x."],
    ["name,device,Name", "The column name is given twice."],
    ["device,name,device.name", "The column device is given twice."],
    ['na"me,device', "Line 1: a quote is in the wrong place."],
    ["name,,device", "Unknown columns: ."]
  ])("%j is refused: %s", (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

/** The `data` of events without an object of the API. */
import { describe, expect, it } from "vitest"
import { flatData } from "../../../src/source/data/FlatData.ts"

const flat = (type: string, snapshot: string, apiUrl: string | undefined = "https://netbox.example/") =>
  flatData({ type, objectId: "5", display: "AMS1", snapshot, apiUrl })

describe("data without an object of the API", () => {
  it("is the snapshot behind id, url and display, with choices of declared types as objects", () => {
    expect(flat("dcim.site", `{"name":"AMS1","status":"active","region":7,"tags":["a"],"asns":[1]}`)).toBe(
      `{"id":5,"url":"https://netbox.example/api/dcim/sites/5/","display":"AMS1","name":"AMS1",` +
        `"status":{"value":"active","label":"Active"},"region":7,"tags":["a"],"asns":[1]}`
    )
  })

  it("shows no choice as null, and a choice that is not declared here as its own label", () => {
    const racks = flat("dcim.rack", `{"type":"","status":"on-fire","width":19,"outer_unit":null}`)
    expect(JSON.parse(racks)).toMatchObject({
      type: null,
      status: { value: "on-fire", label: "on-fire" },
      width: { value: 19, label: "19 inches" },
      outer_unit: null
    })
  })

  it("leaves a choice alone that the API shows without a label", () => {
    expect(flat("extras.customlink", `{"button_class":"blue"}`)).toContain(`"button_class":"blue"`)
  })

  it("keeps the digits of numbers", () => {
    const digits = `{"vid":50755254975729665,"speed":1.50,"tiny":1e-400}`
    expect(flat("ipam.vlan", digits)).toContain(`"vid":50755254975729665`)
    expect(flat("ipam.vlan", digits)).toContain(`"tiny":1e-400`)
    const long = flatData({ type: "a.b", objectId: "9223372036854775807", display: "", snapshot: "{}", apiUrl: "" })
    expect(long).toBe(`{"id":9223372036854775807,"url":"","display":""}`)
  })

  it("has no url where the address of the API or the endpoint of the type is unknown", () => {
    expect(flat("netbox_bgp.bgpsession", `{"status":"active"}`)).toBe(
      `{"id":5,"url":"","display":"AMS1","status":"active"}`
    )
    expect(flat("dcim.site", "{}", "")).toContain(`"url":""`)
    expect(flat("dcim.site", "{}", "ftp://netbox.example")).toContain(`"url":""`)
  })

  it("takes the declaration and the endpoint of a type that a release renamed", () => {
    const shown = flat("vpn.l2vpn", `{"type":"vxlan"}`, "https://netbox.example/base/api/")
    expect(shown).toContain(`"url":"https://netbox.example/base/api/vpn/l2vpns/5/"`)
    expect(shown).toContain(`"type":{"value":"vxlan","label":"VXLAN"}`)
  })

  it("is not replaced by keys of the snapshot, and takes names of prototypes as names", () => {
    const shown = flat("dcim.site", `{"id":6,"url":"javascript:0","display":"x","__proto__":{"a":1},"constructor":"c"}`)
    expect(shown).toBe(
      `{"id":5,"url":"https://netbox.example/api/dcim/sites/5/","display":"AMS1","__proto__":{"a":1},"constructor":"c"}`
    )
  })

  it.each(["null", "[]", "7", "{", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`])(
    "of a snapshot that is no object, or nested too deep, has the three alone: %.20s",
    (snapshot) => {
      expect(JSON.parse(flat("dcim.site", snapshot))).toEqual({
        ...{ id: 5, url: "https://netbox.example/api/dcim/sites/5/", display: "AMS1" }
      })
    }
  )
})

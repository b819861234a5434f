/** Where paths lead in events, and the warnings about conditions that read what no event has. */
import { describe, expect, it } from "vitest"
import { conditionWarnings } from "../../src/inventory/derive/represent/ConditionWarnings.ts"
import { eventPath } from "../../src/inventory/derive/represent/EventPaths.ts"

const found = (type: string, path: string, isChange = false) => eventPath(type, path.split("."), isChange)

describe("a path", () => {
  it.each([
    ["dcim.device", "name", "value"],
    ["dcim.device", "id", "value"],
    ["dcim.device", "status", "object"],
    ["dcim.device", "status.value", "value"],
    ["dcim.device", "site.slug", "value"],
    ["dcim.device", "device_type.manufacturer.name", "value"],
    ["dcim.device", "tags", "objects"],
    ["dcim.device", "tags.slug", "value"],
    ["dcim.device", "custom_fields.owner.name", "anything"],
    ["dcim.device", "primary_ip4.address", "value"],
    ["dcim.cable", "a_terminations.object_id", "value"],
    ["dcim.cable", "a_terminations.object.name", "anything"],
    ["ipam.prefix", "family.value", "value"],
    ["ipam.ipaddress", "assigned_object.device.name", "anything"],
    ["dcim.site", "snapshots.prechange.status", "value"],
    ["dcim.site", "snapshots.postchange.custom_fields.owner", "anything"],
    ["dcim.site", "context.request.method", "value"]
  ])("of an event of %s leads by %s to %s", (type, path, what) => {
    expect(found(type, path)).toBe(what)
  })

  it.each([
    ["dcim.site", "statsu.value"],
    ["dcim.site", "status.value.slug"],
    ["dcim.site", "data.status.value"],
    ["dcim.site", "device_count"],
    ["dcim.device", "site.region"],
    ["dcim.site", "snapshots.prechange.status.value"],
    ["dcim.site", "snapshots.before.status"],
    ["dcim.site", "context.user"],
    ["dcim.site", "constructor"]
  ])("of an event of %s does not lead anywhere by %s", (type, path) => {
    expect(found(type, path)).toBeUndefined()
  })

  it("of a comparison begins in the snapshots", () => {
    expect([found("dcim.site", "status", true), found("dcim.site", "status.value", true)]).toEqual(["value", undefined])
  })
})

describe("a condition", () => {
  const warnings = (types: ReadonlyArray<string>, document: unknown) =>
    conditionWarnings(types, document, { eventPath })

  it("has no warning when every event may have what it reads", () => {
    const well = {
      and: [
        { attr: "status.value", value: "active" },
        {
          or: [
            { attr: "tags.slug", op: "contains", value: "core" },
            { attr: "region", value: null }
          ]
        },
        { attr: "status", op: "changed" },
        { attr: "region", op: "contains", value: "slug" }
      ]
    }
    expect(warnings(["dcim.site"], well)).toEqual([])
    expect(warnings(["dcim.site"], null)).toEqual([])
    expect(warnings(["dcim.site"], "x")).toEqual([])
  })

  it("that reads an unknown field is named with its place and its object types", () => {
    const document = { and: [{ attr: "name", value: "x" }, { or: [{ attr: "device_type.slug", value: "a" }] }] }
    expect(warnings(["dcim.site", "dcim.device"], document)).toEqual([
      "and[1].or[0]: events of dcim.site have no device_type.slug, so it does not fire for these."
    ])
    expect(warnings(["dcim.site"], { attr: "statsu", op: "changed" })).toEqual([
      "the snapshots of dcim.site have no statsu, so the webhook does not fire where it is read."
    ])
  })

  it("that compares an object with a value is told which part it may mean", () => {
    expect(warnings(["dcim.site"], { attr: "status", value: "active" })).toEqual([
      'status is an object in events, which "active" never equals. Name a part of it, such as status.value or status.slug.'
    ])
    expect(warnings(["dcim.site"], { attr: "tags", op: "contains", value: "kvm" })).toEqual([
      'tags is a list of objects in events, of which none equals "kvm". Name a part of them, such as tags.slug.'
    ])
    expect(warnings(["dcim.site"], { attr: "status", op: "in", value: ["active", null] })).toEqual([])
  })

  it("that is very large is looked at in part", () => {
    const many = { and: Array.from({ length: 5000 }, (_, n) => ({ attr: `x${n}`, value: 1 })) }
    expect(warnings(["dcim.site"], many)).toHaveLength(20)
  })
})

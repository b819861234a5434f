import { describe, expect, test } from "vitest"
import { objectType, registry } from "../../../src/inventory/Registry.ts"
import { namingFields, naturalName } from "../../../src/inventory/derive/filter/NaturalName.ts"
import { type Visible, allVisible } from "../../../src/inventory/derive/filter/Where.ts"

const named = (type: string, attributes: Readonly<Record<string, unknown>>, visible: Visible = allVisible) => {
  const found = naturalName(objectType(type), attributes, visible)
  return "where" in found ? [found.where.sql, ...found.where.parameters] : `${found.type.id} ${found.unknown}`
}

describe("an object is named", () => {
  test.each<readonly [string, Readonly<Record<string, unknown>>, ReadonlyArray<unknown>]>([
    ["dcim.site", { slug: "ams" }, ["t.slug = $1", "ams"]],
    ["dcim.site", { pk: 5 }, ["t.id = $1::bigint", "5"]],
    ["users.user", { username: "ann" }, ["t.username = $1", "ann"]],
    ["ipam.asn", { asn: 64512 }, ["t.asn = $1::bigint", "64512"]],
    ["ipam.prefix", { prefix: "10.0.0.0/8", vrf: null }, ["t.prefix = $1::inet and t.vrf_id is null", "10.0.0.0/8"]],
    ["ipam.vlan", { vid: 5, group_id: 7 }, ["t.vid = $1::bigint and t.group_id = $2::bigint", "5", "7"]],
    [
      "dcim.interface",
      { device: { id: 3, url: "x" }, name: "e0" },
      ["t.device_id = $1::bigint and t.name = $2", 3, "e0"].map(String)
    ],
    [
      "dcim.interface",
      { name: "eth0", device: { name: "sw1", site: { slug: "ams" } } },
      [
        "t.name = $1 and t.device_id = any (array(select t_.id from dcim_device t_ where t_.name = $2 and t_.site_id = any (array(select t__.id from dcim_site t__ where t__.slug = $3))))",
        "eth0",
        "sw1",
        "ams"
      ]
    ],
    [
      "dcim.devicetype",
      { model: "X", manufacturer__slug: "acme" },
      [
        "t.model = $1 and t.manufacturer_id = any (array(select t_.id from dcim_manufacturer t_ where t_.slug = $2))",
        "X",
        "acme"
      ]
    ],
    ["circuits.circuit", { cid: "", provider: 2 }, ["t.cid = $1 and t.provider_id = $2::bigint", "", "2"]]
  ])("of %s by %j", (type, attributes, where) => {
    expect(named(type, attributes)).toEqual(where)
  })

  test.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ["dcim.site", { slug: "x", comments: "secret" }, "dcim.site comments"],
    ["dcim.site", { slug: "x", tenant__comments__startswith: "l" }, "tenancy.tenant comments__startswith"],
    ["dcim.site", { slug: "x", tenant: { comments: "l" } }, "tenancy.tenant comments"],
    ["dcim.site", { name__startswith: "x" }, "dcim.site name__startswith"],
    ["dcim.site", { name: ["a", "b"] }, "dcim.site name"],
    ["dcim.site", { name: "\0" }, "dcim.site name"],
    ["dcim.site", { tags: 1 }, "dcim.site tags"],
    ["dcim.site", { __proto__x: 1 }, "dcim.site __proto__x"],
    ["dcim.site", { constructor: 1 }, "dcim.site constructor"],
    ["dcim.site", { id: "x" }, "dcim.site id"],
    ["dcim.site", {}, "dcim.site {}"],
    ["users.user", { username: "admin", is_superuser: true }, "users.user is_superuser"],
    ["users.user", { username: "admin", password: "x" }, "users.user password"],
    ["users.token", { key: "x" }, "users.token key"]
  ])("of %s not by %j", (type, attributes, unknown) => {
    expect(named(type, attributes)).toBe(unknown)
  })

  test("by other objects, but only visible ones", () => {
    const visible: Visible = () => ({ sql: "t.id <> $1::bigint", parameters: ["9"] })
    expect(named("dcim.rack", { name: "r", site: { slug: "ams" } }, visible)).toEqual([
      "t.name = $1 and t.site_id = any (array(select t_.id from (select t.* from dcim_site t where t.id <> $3::bigint) t_ where t_.slug = $2))",
      "r",
      "ams",
      "9"
    ])
  })

  test("through at most five objects", () => {
    const up = (depth: number): Readonly<Record<string, unknown>> =>
      depth === 1 ? { slug: "x" } : { parent: up(depth - 1) }
    expect(named("dcim.region", up(5))).toBeInstanceOf(Array)
    expect(typeof named("dcim.region", up(6))).toBe("string")
  })
})

test("each type that is referenced has a natural name of fields that every reader may see", () => {
  for (const type of registry.values()) {
    for (const name of namingFields(type)) expect(type.fields[name]!.wire).toMatch(/^(both|read)$/)
    const targets = Object.values(type.fields).flatMap(({ reference }) => reference?.type ?? [])
    for (const target of targets) expect([target, namingFields(objectType(target)).length]).not.toEqual([target, 0])
  }
})

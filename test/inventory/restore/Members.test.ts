/** The members of a restored set, and the order in which they are created. */
import { describe, expect, it } from "vitest"
import type { Dictionary } from "../../../src/inventory/Field.ts"
import { objectType } from "../../../src/inventory/Registry.ts"
import { type Member, belongings, memberOf, nextToCreate } from "../../../src/inventory/restore/Members.ts"
import { bodyOf } from "../../../src/inventory/restore/Body.ts"

const member = (type: string, id: number, before: Dictionary): Member =>
  memberOf({ type: objectType(type), id, name: `${id}`, before })

const device = member("dcim.device", 1, { primary_ip4: 30 })
const first = member("dcim.interface", 10, { device: 1, bridge: 11 })
const second = member("dcim.interface", 11, { device: 1, bridge: 10 })
const foreign = member("dcim.interface", 20, { device: 2 })
const address = member("ipam.ipaddress", 30, { assigned_object_type: "dcim.interface", assigned_object_id: 11 })
const cable = member("dcim.cable", 40, { a_terminations: [10], b_terminations: [99] })

const keysOf = (members: ReadonlyArray<Member>) => members.map(({ key }) => key)

/** The groups in which all are created. */
const orderOf = (members: ReadonlyArray<Member>) => {
  const order: Array<ReadonlyArray<string>> = []
  let pending = members
  while (pending.length > 0) {
    const next = nextToCreate(pending)
    if (next.length === 0) break
    order.push(keysOf(next))
    pending = pending.filter((each) => !next.includes(each))
  }
  return order
}

describe("the set of a deleted object", () => {
  it("has what belongs to it, directly or by another one, and nothing else", () => {
    expect(keysOf(belongings(device, [cable, address, foreign, second, first, device]))).toEqual([
      ...["dcim.interface 11", "dcim.interface 10"],
      ...["ipam.ipaddress 30", "dcim.cable 40"]
    ])
  })

  it("ends where objects belong to each other", () => {
    const [a, b] = [member("dcim.inventoryitem", 1, { parent: 2 }), member("dcim.inventoryitem", 2, { parent: 1 })]
    expect(keysOf(belongings(a, [a, b]))).toEqual(["dcim.inventoryitem 2"])
  })
})

describe("the order", () => {
  it("has owners first, and opens a circle of references where an object can be created without them", () => {
    expect(orderOf([cable, address, second, first, device])).toEqual([
      ["dcim.device 1"],
      ["dcim.interface 11"],
      ["ipam.ipaddress 30"],
      ["dcim.interface 10"],
      ["dcim.cable 40"]
    ])
  })

  it("has objects of a type together", () => {
    const ports = [1, 2, 3].map((id) => member("dcim.interface", id, { device: 1 }))
    expect(orderOf(ports)).toEqual([["dcim.interface 1", "dcim.interface 2", "dcim.interface 3"]])
  })

  it("has none where objects need each other", () => {
    const [a, b] = [member("dcim.inventoryitem", 1, { parent: 2 }), member("dcim.inventoryitem", 2, { parent: 1 })]
    expect(nextToCreate([a, b])).toEqual([])
  })
})

describe("a body", () => {
  it("has the new ids, and names the fields that lack one", () => {
    const newIds = new Map([
      ["dcim.interface 10", 110],
      ["dcim.interface 11", null]
    ])
    expect(bodyOf(first.type, { name: "a", device: 5, lag: 10, bridge: 11, tags: ["T"] }, newIds)).toEqual({
      body: { name: "a", device: 5, lag: 110, bridge: null, tags: [{ name: "T" }] },
      incomplete: ["bridge"]
    })
    expect(bodyOf(cable.type, cable.before, newIds).body).toEqual({
      a_terminations: [{ object_type: "dcim.interface", object_id: 110 }],
      b_terminations: [{ object_type: "dcim.interface", object_id: 99 }]
    })
    expect(bodyOf(address.type, address.before, newIds)).toEqual({
      body: { assigned_object_type: null, assigned_object_id: null },
      incomplete: ["assigned_object_type"]
    })
  })
})

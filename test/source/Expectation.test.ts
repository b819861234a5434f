import { describe, expect, it } from "vitest"
import { type ChangeRow, foldRows } from "./Expectation.ts"

const row = (id: number, action: ChangeRow["action"], more: Partial<ChangeRow> = {}): ChangeRow => ({
  ...{ id, action, type: "dcim.site", objectId: 1, user: "admin", requestId: "r" },
  before: action === "create" ? null : { name: `before ${id}` },
  after: action === "delete" ? null : { name: `after ${id}` },
  ...more
})

const shown = (...rows: ReadonlyArray<ChangeRow>) =>
  foldRows(rows).map(({ kind, type, objectId, before, after, changeIds }) => [
    `${kind} ${type} ${objectId}`,
    before?.["name"],
    after?.["name"],
    changeIds
  ])

describe("the events of a transaction", () => {
  it("are as the row says where an object has one row", () => {
    expect(shown(row(1, "create"))).toEqual([["created dcim.site 1", undefined, "after 1", [1]]])
    expect(shown(row(2, "update"))).toEqual([["updated dcim.site 1", "before 2", "after 2", [2]]])
    expect(shown(row(3, "delete"))).toEqual([["deleted dcim.site 1", "before 3", undefined, [3]]])
  })

  it("reach from the first state to the last where it has several", () => {
    expect(shown(row(1, "create"), row(2, "update"))).toEqual([["created dcim.site 1", undefined, "after 2", [1, 2]]])
    expect(shown(row(1, "update"), row(2, "update"), row(3, "delete"))).toEqual([
      ["deleted dcim.site 1", "before 1", undefined, [1, 2, 3]]
    ])
    expect(shown(row(1, "delete"), row(2, "create"))).toEqual([["updated dcim.site 1", "before 1", "after 2", [1, 2]]])
  })

  it("have none of an object that did not exist before nor after", () => {
    expect(shown(row(1, "create"), row(2, "update"), row(3, "delete"))).toEqual([])
  })

  it("follow the order of the last rows, objects of two types apart", () => {
    const vlan = { type: "ipam.vlan" }
    expect(shown(row(1, "create"), row(2, "create", vlan), row(3, "update")).map(([event]) => event)).toEqual([
      "created ipam.vlan 1",
      "created dcim.site 1"
    ])
  })
})

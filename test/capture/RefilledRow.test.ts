import { describe, expect, test } from "vitest"
import { refilledRow, refilledText } from "../../src/capture/RefilledRow.ts"

const row = JSON.stringify({ id: 7, name: "A", slug: "a", color: "9e9e9e", description: "" })
const text = refilledText({ type: "extras.tag", kind: "created", xid: 9, row })

describe("a row in a message", () => {
  test("is read in the transaction for which it was made", () => {
    const read = refilledRow(text, 9)
    expect(read).toMatchObject({ type: { id: "extras.tag" }, kind: "created", row: { id: 7 } })
    expect(read!.row.row()).toMatchObject({ id: 7, name: "A", slug: "a" })
  })

  test.each([
    ["in another transaction", text, 10],
    ["that was not sealed by us", undefined, 9],
    ["of a type that is no object", refilledText({ type: "users.token", kind: "updated", xid: 9, row }), 9],
    ["of no type", refilledText({ type: "__proto__", kind: "updated", xid: 9, row }), 9],
    ["without a row", refilledText({ type: "extras.tag", kind: "updated", xid: 9, row: "null" }), 9]
  ])("%s is ignored", (_, content, xid) => {
    expect(refilledRow(content, xid)).toBeUndefined()
  })
})

/** A later run does with an object as the changes on both sides say. */
import { describe, expect, test } from "vitest"
import { decide } from "../../src/move/state/Plan.ts"

const known = { last: "a", now: "a", isHere: true, isChangedHere: false, prefer: undefined }

describe("an object of the source", () => {
  test.each([
    ["is new, and is created", { last: undefined, isHere: false }, "insert"],
    ["is new, and is a user here already, who becomes that of the source", { last: undefined }, "update"],
    ["is unchanged", {}, "leave"],
    ["is unchanged, and changed here", { isChangedHere: true }, "leave"],
    ["is unchanged, and deleted here", { isHere: false }, "leave"],
    ["is changed", { now: "b" }, "update"],
    ["is changed on both sides", { now: "b", isChangedHere: true }, "conflict"],
    ["is changed, and deleted here", { now: "b", isHere: false }, "conflict"],
    ["is changed on both sides, and the source counts", { now: "b", isChangedHere: true, prefer: "source" }, "update"],
    ["is changed, deleted here, and the source counts", { now: "b", isHere: false, prefer: "source" }, "insert"],
    ["is changed on both sides, and the target counts", { now: "b", isChangedHere: true, prefer: "target" }, "accept"],
    ["is deleted", { now: undefined }, "delete"],
    ["is deleted on both sides", { now: undefined, isHere: false }, "accept"],
    ["is deleted, and changed here", { now: undefined, isChangedHere: true }, "conflict"],
    [
      "is deleted, changed here, and the source counts",
      { now: undefined, isChangedHere: true, prefer: "source" },
      "delete"
    ],
    [
      "is deleted, changed here, and the target counts",
      { now: undefined, isChangedHere: true, prefer: "target" },
      "accept"
    ]
  ] as const)("that %s", (_, some, step) => {
    expect(decide({ ...known, ...some })).toBe(step)
  })
})

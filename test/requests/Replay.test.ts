import { expect, test } from "vitest"
import { momentOf } from "../../src/requests/Replay.ts"

test.each([
  ["2026-11-20", "2026-11-20T00:00:00Z"],
  ["2026-11-20T08:00Z", "2026-11-20T08:00:00Z"],
  ["2026-11-20T08:00:00.5+02:00", "2026-11-20T06:00:00.5Z"]
])("a replay begins at %s, from the API as from the command line", (text, value) => {
  expect(momentOf(text)).toEqual({ value })
})

test.each([["yesterday"], [""], ["2026-13-01"], [20261120], [null]])("a replay cannot begin at %j", (input) => {
  expect(momentOf(input)).toHaveProperty("errors")
})

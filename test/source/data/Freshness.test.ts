/** Times of snapshots against times of the API. */
import { expect, it } from "vitest"
import { freshness } from "../../../src/source/data/Freshness.ts"

const changed = { last_updated: "2026-11-29T02:00:00.123Z" }

it.each([
  ["the same time with more digits", changed, "2026-11-29T02:00:00.123999Z", "Current"],
  ["the same time in another zone", changed, "2026-11-29T04:00:00.123456+02:00", "Current"],
  ["a later time", changed, "2026-11-29T02:00:00.124Z", "Newer"],
  ["an earlier time", changed, "2026-11-29T02:00:00.122999Z", "Older"],
  ["no time of the API", changed, undefined, "Unknown"],
  ["a time without a zone", changed, "2026-11-29T02:00:00", "Unknown"],
  ["no time of the snapshot", {}, "2026-11-29T02:00:00Z", "Unknown"],
  ["no snapshot", null, "2026-11-29T02:00:00Z", "Unknown"],
  ["a time that is a number", { last_updated: 5 }, "2026-11-29T02:00:00Z", "Unknown"]
])("%s", (_, postchange, lastUpdated, expected) => {
  expect(freshness(postchange, { lastUpdated })).toBe(expected)
})

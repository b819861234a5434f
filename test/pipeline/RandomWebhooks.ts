/** Webhooks, and changes of sites that they may be about, for properties. */
import fc from "fast-check"
import type { Json } from "../support/Client.ts"

/** Some are about the state before, some cannot be evaluated. */
const clause = fc.constantFrom<Json>(
  { attr: "status.value", value: "active" },
  { attr: "status.value", op: "in", value: ["planned", "retired"] },
  { attr: "status", op: "changed" },
  { attr: "snapshots.prechange.status", value: "planned" },
  { attr: "name", op: "regex", value: ".*[0-4]$" },
  { attr: "name", op: "contains", value: "1", negate: true },
  { attr: "region.slug", value: "north" },
  { attr: "nowhere", value: 1 }
)
const condition = fc.oneof(
  fc.constant(null),
  clause,
  fc.record({ and: fc.array(clause, { minLength: 1, maxLength: 3 }) }),
  fc.record({ or: fc.array(clause, { minLength: 1, maxLength: 3 }) })
)
/** The fields of a webhook. */
export const definition = fc.record({
  content_types: fc.constantFrom(["dcim.site"], ["dcim.site"], ["dcim.site", "dcim.rack"], ["dcim.rack"]),
  type_create: fc.constant(true),
  type_update: fc.boolean(),
  type_delete: fc.boolean(),
  enabled: fc.constantFrom(true, true, true, false),
  conditions: condition
})
const status = fc.constantFrom("active", "planned", "retired")
const change = fc.record({ kind: fc.constantFrom("write", "write", "delete"), site: fc.nat(9), status })
const redefine = fc.record({ hook: fc.nat(7), as: definition })
/** A site that is written or deleted, or a webhook that is defined anew. */
export const step = fc.oneof({ weight: 3, arbitrary: change }, { weight: 1, arbitrary: redefine })

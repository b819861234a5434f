/** Filters of NetBox 3.5: each is built or refused by name, and a name that NetBox does not know is not refused. */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { objectType, registry } from "../../src/inventory/Registry.ts"
import { filter, isKnown } from "../../src/inventory/derive/filter/Filter.ts"
import { everySuffix } from "../../src/inventory/derive/filter/Lookup.ts"
import { namedIn } from "../../src/inventory/derive/filter/Named.ts"
import { unsupportedNames } from "../../src/inventory/derive/filter/Unsupported.ts"
import { allVisible } from "../../src/inventory/derive/filter/Where.ts"

/** Read from the filter classes of NetBox 3.5.9: object type -> lookups -> names of the filters that have these. */
const facts = JSON.parse(readFileSync(new URL("netbox-filters.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>

/** Saved filters, which the wire replaces before filters are read. */
const saved = new Set(["filter", "filter_id"])

const namesIn = (groups: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(groups).flatMap(([lookups, names]) =>
    names
      .split(" ")
      .filter((name) => !saved.has(name))
      .flatMap((name) => ["", ...lookups.split(" ").filter(Boolean)].map((each) => (each ? `${name}__${each}` : name)))
  )

const cases = Object.entries(facts).map(([id, groups]) => [id, objectType(id), new Set(namesIn(groups))] as const)

const isRefused = (type: ReturnType<typeof objectType>, name: string): boolean => {
  const filtered = filter(type, [[name, "1"]], allVisible)
  return "errors" in filtered && /NetBox/.test(String(filtered.errors[name]))
}

test("the table has every type but those that only Rackwire has", () => {
  const ours = ["extras.alarm", "extras.delivery", "extras.operation", "extras.replay", "extras.source", "users.signin"]
  expect([...registry.keys()].filter((id) => !Object.hasOwn(facts, id))).toEqual(ours)
})

test.each(cases)("a filter of %s that only NetBox has is refused by name", (_, type, names) => {
  expect([...names].filter((name) => !isKnown(type, name) && !isRefused(type, name))).toEqual([])
})

test.each(cases)("no filter of %s is listed as unsupported although Rackwire has it", (_, type, names) => {
  const needless = [...unsupportedNames(type)].filter((name) => !names.has(name) || isKnown(type, name))
  // Rackwire has some lookups of this filter.
  expect(needless.filter((name) => !/^content_types(__n)?$/.test(name))).toEqual([])
})

test.each(cases)("a name that neither NetBox nor Rackwire knows is ignored for %s", (_, type, names) => {
  const bases = new Set([...names].map((name) => name.replace(/__.*/, "")))
  const unknown = [...bases, "nope"].flatMap((base) => [base, ...everySuffix.map((each) => `${base}__${each}`)])
  expect(unknown.filter((name) => !names.has(name) && !isKnown(type, name) && isRefused(type, name))).toEqual([])
})

test.each(cases)("a reference of %s that NetBox ignores in queries is never refused", (_, type, names) => {
  const references = Object.entries(type.fields).flatMap(([name, { reference }]) =>
    reference === undefined ? [] : [name, `${name}_id`]
  )
  const ours = references.filter((name) => !names.has(name) && isKnown(type, name))
  const refused = ours.filter((name) =>
    ["1", "nope", "0x1", "-1"].some((value) => {
      const query = [[name, value]] as const
      return "errors" in filter(type, query, allVisible) || namedIn(type, query).length > 0
    })
  )
  expect(refused).toEqual([])
})

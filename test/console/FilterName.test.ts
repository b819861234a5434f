import { expect, test } from "vitest"
import { filterTitle } from "../../src/console/filter/FilterName.ts"

test.each([
  ["name__ic", "Name contains"],
  ["q", "Search"],
  ["cf_rack_unit__gte", "Rack unit at least"],
  // Properties of every object of the language: they come from outside, as names of filters do.
  ["constructor", "Constructor"],
  ["name__constructor", "Name constructor"],
  ["__proto__", expect.any(String)]
])("the filter %s is called %s", (name, title) => {
  expect(filterTitle(name)).toEqual(title)
})

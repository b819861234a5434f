/** Which version of Rackwire is newer than another, as far as a database is concerned. */
import { expect, it } from "vitest"
import { isNewer } from "../../src/postgres/migrate/DatabaseVersion.ts"

it.each([
  ["0.2.0", "0.1.9", true],
  ["0.10.0", "0.9.0", true],
  ["1.0.0", "0.99.0", true],
  ["0.1.9", "0.1.0", false],
  ["0.1.0", "0.1.0", false],
  ["0.9.0", "1.0.0", false]
])("takes %s for newer than %s: %s", (version, than, expected) => {
  expect(isNewer(version, than)).toBe(expected)
})

/** Every form of object types in a real browser, checked for accessibility and on small screens. */
import { describe, expect, it } from "vitest"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { type Existing, makeWorld } from "../support/AnyObject.ts"
import { accessibility, hasBrowser, sideways } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

/** Time for all forms on a busy machine, milliseconds. */
const hourMillis = 3_600_000

/** Declares the tests for the forms of these types. */
export const expectFormsWithoutFault = (types: ReadonlyArray<ObjectType>): void => {
  let existing: Existing

  const { loggedIn } = startConsole(async ({ call }) => {
    existing = await makeWorld(call, 2)
  })

  /** One of so many forms is checked in dark as well. */
  const darkEvery = 12

  const pathOf = (path: string) => path.slice("/api".length)

  /** The forms of the types: to add an object, and to change and delete one that exists. */
  const everyForm = (): ReadonlyArray<string> =>
    types.flatMap(({ id, path }) => [
      `${pathOf(path)}add/`,
      ...existing(id)
        .slice(0, 1)
        .flatMap((object) => [`${pathOf(path)}${object}/edit/`, `${pathOf(path)}${object}/delete/`])
    ])

  describe.skipIf(!hasBrowser)("the forms of the console", () => {
    it("have no fault, also on a small screen", { timeout: hourMillis }, async () => {
      const { page, problems, close } = await loggedIn()
      const found: Array<string> = []
      for (const [at, path] of everyForm().entries()) {
        expect([path, (await page.goto(path))?.status()]).toEqual([path, 200])
        // The other forms differ in values and texts only.
        if (path.endsWith("/add/") || at < 6) found.push(...(await accessibility(page)))
        if (at % darkEvery === 0) found.push(...(await accessibility(page, "dark")))
        found.push(...(await sideways(page)))
      }
      expect([...found, ...problems]).toEqual([])
      await close()
    })
  })
}

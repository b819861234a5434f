/** Every page of the console in a real browser, with a list and an object of every type. */
import { describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { type Existing, makeWorld } from "../support/AnyObject.ts"
import { hasBrowser } from "../support/Browser.ts"
import { faultsOfPages } from "./EveryPage.ts"
import { startConsole } from "./Fixture.ts"

/** Time for all pages on a busy machine, milliseconds. */
const hourMillis = 3_600_000

let existing: Existing

const { loggedIn } = startConsole(async ({ call }) => {
  existing = await makeWorld(call, 2)
})

describe.skipIf(!hasBrowser)("the console", () => {
  it("shows every page of every object type without any fault", { timeout: hourMillis }, async () => {
    const { page, problems, close } = await loggedIn()
    const types = new Set(registry.keys())
    expect([...(await faultsOfPages(page, existing, types)), ...problems]).toEqual([])
    await close()
  })
})

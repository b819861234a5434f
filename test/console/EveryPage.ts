/** The pages of the console, looked at one after the other: markup, accessibility in each theme, small screens. */
import type { Page } from "playwright-core"
import { expect } from "vitest"
import { pages } from "../../src/console/Pages.ts"
import type { Existing } from "../support/AnyObject.ts"
import { accessibility, sideways } from "../support/Browser.ts"

const pathOf = (path: string) => path.slice("/api".length)

/** One of so many pages is looked at in high contrast as well. */
const contrastEvery = 6

/** Types of which every page is looked at; of the others the list and the page of an object. */
const whole: ReadonlySet<string> = new Set(["dcim.site", "extras.webhook", "users.user"])

/** The paths of the pages: every kind of page, and a list and a page of an object of each of the types. */
const everyPath = (existing: Existing, types: ReadonlySet<string>): ReadonlyArray<string> => [
  "/search/?q=a",
  ...pages.flatMap(({ path, access, methods }) => {
    // Files, parts of pages and the JSON of pickers are not pages.
    if (methods.GET === undefined || /^\/static\/|^\/gauges\/|\/pick\/$|^\/api\//.test(path)) return []
    if (typeof access === "string") return path.includes(":") ? [] : [path]
    const list = pathOf(access.path)
    if (!whole.has(access.id) && (!types.has(access.id) || (path !== list && path !== `${list}:id/`))) return []
    const [first] = existing(access.id)
    if (path.includes(":id")) return first === undefined ? [] : [path.replace(":id", `${first}`)]
    return path.includes(":") ? [] : [path]
  })
]

/** The faults of every kind of page, with a list and an object of each of the types; in the dark one page of so many. */
export const faultsOfPages = async (
  page: Page,
  existing: Existing,
  types: ReadonlySet<string>,
  darkEvery = 1
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const [at, path] of everyPath(existing, types).entries()) {
    const response = await page.goto(path)
    expect([path, response?.status(), await page.locator("h1").count()]).toEqual([path, 200, 1])
    found.push(...(await accessibility(page)))
    if (at % darkEvery === 0) found.push(...(await accessibility(page, "dark")))
    if (at % contrastEvery === 0) found.push(...(await accessibility(page, "light contrast")))
    if (at % contrastEvery === 1) found.push(...(await accessibility(page, "dark contrast")))
    found.push(...(await sideways(page)))
  }
  return found
}

/** The pages of the console, looked at one after the other: markup, accessibility in each theme, small screens. */
import type { Page } from "playwright-core"
import { expect } from "vitest"
import { pages } from "../../src/console/Pages.ts"
import type { Existing } from "../support/AnyObject.ts"
import { sampleOf } from "../support/Seed.ts"
import { type Theme, accessibility, sideways } from "../support/Browser.ts"

const pathOf = (path: string) => path.slice("/api".length)

/** One of so many of these pages is looked at in high contrast as well. */
const contrastEvery = 6

/** Types that together have every kind of page; of the others the list and the page of an object. */
const whole: ReadonlySet<string> = new Set(["dcim.site", "extras.webhook", "users.user"])

/**
 * The paths of the pages: every kind of page, and a list and a page of an object of each of the types. A kind that several
 * of the whole types have counts once, unless `isEvery`.
 */
const everyPath = (existing: Existing, types: ReadonlySet<string>, isEvery: boolean): ReadonlyArray<string> => {
  const kinds = new Set<string>()
  return [
    "/search/?q=a",
    ...pages.flatMap(({ path, access, methods }) => {
      // Files, parts of pages, the JSON of pickers, and ways to a provider that is not set up are not pages.
      if (methods.GET === undefined || /^\/static\/|^\/gauges\/|^\/login\/oidc\/|\/pick\/$|^\/api\/|\.csv$/.test(path))
        return []
      if (typeof access === "string") return path.includes(":") ? [] : [path]
      const kind = path.replace(pathOf(access.path), "")
      const isMain = kind === "" || kind === ":id/"
      const isNew = isEvery || !kinds.has(kind)
      if (!(isMain && types.has(access.id)) && !(whole.has(access.id) && isNew)) return []
      kinds.add(kind)
      const [first] = existing(access.id)
      if (path.includes(":id")) return first === undefined ? [] : [path.replace(":id", `${first}`)]
      return path.includes(":") ? [] : [path]
    })
  ]
}

/** The number of pages that a test opens if axe does not check each page. */
const sampled = 20

/**
 * The faults of every kind of page, with a list and an object of each of the types. All pages are opened, or a sample of
 * them if axe checks one page of `axeEvery`; twice as many pages are checked on small screens.
 */
export const faultsOfPages = async (
  page: Page,
  existing: Existing,
  types: ReadonlySet<string>,
  axeEvery = 1
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const isEvery = axeEvery === 1
  const every = everyPath(existing, types, isEvery)
  const paths = isEvery ? every : sampleOf(every, sampled, "pages")
  for (const [at, path] of paths.entries()) {
    const response = await page.goto(path)
    expect([path, response?.status(), await page.locator("h1").count()]).toEqual([path, 200, 1])
    for (const theme of at % axeEvery === 0 ? themesAt(at / axeEvery) : [])
      found.push(...(await accessibility(page, theme)))
    if (at % Math.ceil(axeEvery / 2) === 0) found.push(...(await sideways(page)))
  }
  return found
}

/** The light and the dark theme, and one of high contrast for a few pages. */
const themesAt = (at: number): ReadonlyArray<Theme> => [
  ...(["light", "dark"] as const),
  ...(at % contrastEvery === 0 ? ["light contrast" as const] : []),
  ...(at % contrastEvery === 1 ? ["dark contrast" as const] : [])
]

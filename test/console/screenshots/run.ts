/**
 * `npm run screenshots [-- --readme] [--only <beginning of names>]`: writes pictures of the console's main pages, from a service with
 * the demo inventory: light, dark, and on a small screen. Fails if a page is wider than the small screen.
 *
 * With `--readme` it also writes the pictures of the README.
 */
import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { Browser, BrowserContext } from "playwright-core"
import { hasBrowser, logIn, openBrowser, sideways } from "../../support/Browser.ts"
import { password } from "../../support/Client.ts"
import { startFilled } from "./Filled.ts"
import { pages } from "./Pages.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const folder = join(root, "screenshots")
const imagesOfReadme = join(root, "docs/images")

/** Largest picture of the README. */
const imageBytesMax = 150_000

const large = { width: 1440, height: 900 }
const ofReadme = { width: 1120, height: 640 }
const small = { width: 390, height: 844 }

const { values } = parseArgs({ options: { readme: { type: "boolean" }, only: { type: "string" } } })

const open = async (browser: Browser, url: string, isPublic: boolean): Promise<BrowserContext> => {
  const context = await browser.newContext({ baseURL: url, viewport: large, reducedMotion: "reduce" })
  if (!isPublic) await logIn(await context.newPage(), "admin", password)
  return context
}

/** Takes the pictures of all pages; returns what is wrong with them. */
const takeAll = async (browser: Browser, url: string): Promise<ReadonlyArray<string>> => {
  const wrong: Array<string> = []
  const contexts = { open: await open(browser, url, true), loggedIn: await open(browser, url, false) }
  for (const { name, path, isPublic = false, isInReadme = false } of pages) {
    if (!name.startsWith(values.only ?? "")) continue
    const page = await (isPublic ? contexts.open : contexts.loggedIn).newPage()
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await page.goto(path)
      await page.evaluate("document.fonts.ready")
      await page.screenshot({ path: join(folder, `${name}-${theme}.png`) })
    }
    await page.emulateMedia({ colorScheme: "light" })
    await page.goto(path)
    if (isInReadme && values.readme === true) {
      const file = join(imagesOfReadme, `${name}.png`)
      await page.setViewportSize(ofReadme)
      await page.screenshot({ path: file })
      const { size } = statSync(file)
      if (size > imageBytesMax) wrong.push(`docs/images/${name}.png has ${size} bytes, more than ${imageBytesMax}`)
    }
    wrong.push(...(await sideways(page)))
    await page.setViewportSize(small)
    await page.screenshot({ path: join(folder, `${name}-small.png`), fullPage: true })
    await page.close()
    process.stdout.write(`${name} `)
  }
  process.stdout.write("\n")
  return wrong
}

if (!hasBrowser) process.exit(1)
mkdirSync(folder, { recursive: true })
mkdirSync(imagesOfReadme, { recursive: true })
const service = await startFilled()
const browser = await openBrowser()
try {
  const wrong = await takeAll(browser, service.url)
  for (const each of wrong) console.error(each)
  console.log(`Pictures are in ${folder}.`)
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  await browser.close()
  await service.close()
}

/**
 * How pages look, beside stored pictures: where things stand and which colours they have. Texts are left out, because
 * times and counts differ. `UPDATE_LOOK=1 npx vitest run test/console/Look` stores the pictures of now.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { named } from "../support/Client.ts"
import { hasBrowser, sideways } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

let site: number

const { loggedIn, opened } = startConsole(async ({ call }) => {
  const sites = ["Bergen", "Hamar", "Oslo"].map((name) => ({ ...named(name), status: "active" }))
  const made = await call<ReadonlyArray<{ readonly id: number }>>("POST", "/api/dcim/sites/", sites)
  site = made.json[0]!.id
})

const folder = new URL("./look/", import.meta.url)

/** Part of the pixels that may differ: another version of the browser rounds in another way. */
const differenceMax = 0.0015

/** Steps of a colour's channel that nobody sees. */
const unseen = 24

const withoutTexts = "* { color: transparent !important; caret-color: transparent !important }"

/** The part of the pixels that differ between two pictures; 1 if they differ in size. */
const difference = (page: Page, pictures: ReadonlyArray<Buffer>): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const pixels = await Promise.all(${JSON.stringify(pictures.map((each) => each.toString("base64")))}.map(async (data) => {
      const image = new Image()
      image.src = "data:image/png;base64," + data
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext("2d")
      context.drawImage(image, 0, 0)
      return context.getImageData(0, 0, image.width, image.height).data
    }))
    const [a, b] = pixels
    if (a.length !== b.length) return 1
    let different = 0
    for (let at = 0; at < a.length; at += 4)
      if ([0, 1, 2].some((channel) => Math.abs(a[at + channel] - b[at + channel]) > ${unseen})) different += 1
    return different / (a.length / 4)
  })()`)

const paths = (): Readonly<Record<string, string>> => ({
  home: "/",
  list: "/dcim/sites/",
  site: `/dcim/sites/${site}/`,
  form: "/dcim/sites/add/",
  preferences: "/user/preferences/"
})

const schemes: ReadonlyArray<"light" | "dark"> = ["light", "dark"]

describe.skipIf(!hasBrowser)("a page", () => {
  it.each(schemes)("looks as it did, in %s", async (colorScheme) => {
    // Styles that are put into the page are not the page's own.
    const { page, problems, close } = await loggedIn({ colorScheme, bypassCSP: true })
    const comparing = await opened()
    const found: Array<string> = []
    for (const [name, path] of Object.entries(paths())) {
      await page.goto(path)
      const picture = await page.screenshot({ style: withoutTexts, animations: "disabled" })
      const file = new URL(`${name}-${colorScheme}.png`, folder)
      if (process.env["UPDATE_LOOK"] === "1") {
        mkdirSync(folder, { recursive: true })
        writeFileSync(file, picture)
      }
      expect([name, existsSync(file)]).toEqual([name, true])
      const part = await difference(comparing.page, [picture, readFileSync(file)])
      if (part > differenceMax) found.push(`${name}: ${(100 * part).toFixed(2)} % of the pixels differ`)
    }
    expect([...found, ...problems]).toEqual([])
    await comparing.close()
    await close()
  })

  it("fits on small screens where the reader's system chooses the colours", async () => {
    const { page, problems, close } = await loggedIn({ forcedColors: "active" })
    const found: Array<string> = []
    for (const path of Object.values(paths())) {
      await page.goto(path)
      found.push(...(await sideways(page)))
    }
    expect([...found, ...problems]).toEqual([])
    await close()
  })
})

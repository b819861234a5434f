/** The page of an object in a browser: images are attached, seen and deleted there, and custom links are buttons. */
import { describe, expect, it } from "vitest"
import { objectType } from "../../src/inventory/Registry.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { accessibility, hasBrowser, sideways } from "../support/Browser.ts"
import { named } from "../support/Client.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

const buttonClasses = Object.keys(objectType("extras.customlink").fields["button_class"]!.choices ?? {})

let api: Api
let site: number

const { loggedIn } = startConsole(async (started) => {
  api = started
  site = await api.make("dcim/sites", named("Oslo"))
  const link = (name: string, fields: object) =>
    api.make("extras/custom-links", {
      ...{ content_types: ["dcim.site"], name, link_text: `${name} of {{ object.name }}` },
      ...{ link_url: "https://example.com/{{ object.slug }}", ...fields }
    })
  for (const color of buttonClasses) await link(color, { button_class: color })
  await link("Graphs", { group_name: "Monitoring" })
  await link("Alerts", { group_name: "Monitoring" })
  await link("Script", { link_url: "javascript:alert(1)" })
}, sharedApi)

interface Picture {
  readonly naturalWidth: number
  readonly naturalHeight: number
}

const path = () => `/dcim/sites/${site}/`

describe.skipIf(!hasBrowser)("the page of an object", () => {
  it("takes an image, shows it, and leads to its deletion", async () => {
    const { page, close } = await loggedIn()
    await page.goto(path())
    const picture = await page.screenshot()
    await page.click(".image-add summary")
    await page.setInputFiles("#i-file", { name: "hall.png", mimeType: "image/png", buffer: picture })
    await page.fill("#i-name", "Cold aisle")
    await page.click(".image-add button")
    await page.waitForURL(`**${path()}**`)
    const image = page.locator("img.attached")
    await image.scrollIntoViewIfNeeded()
    const { width, height } = page.viewportSize()!
    // It is loaded as it is in sight.
    await expect
      .poll(() => image.evaluate(({ naturalWidth, naturalHeight }: Picture) => [naturalWidth, naturalHeight]))
      .toEqual([width, height])
    const box = (await image.boundingBox())!
    expect(box.width / box.height).toBeCloseTo(width / height, 1)
    for (const theme of ["light", "dark"] as const) expect(await accessibility(page, theme)).toEqual([])
    expect(await sideways(page)).toEqual([])
    await page.click("text=Delete >> nth=-1")
    await page.click("main button:has-text('Delete')")
    await page.goto(path())
    expect(await page.locator("img.attached").count()).toBe(0)
    await close()
  })

  it("says why a file is no image, and keeps its name", async () => {
    const { page, close } = await loggedIn()
    await page.goto(path())
    await page.click(".image-add summary")
    await page.setInputFiles("#i-file", { name: "a.png", mimeType: "image/png", buffer: Buffer.from("<svg/>") })
    await page.fill("#i-name", "Not one")
    await page.click(".image-add button")
    await page.waitForSelector("#problem")
    expect(await page.inputValue("#i-name")).toBe("Not one")
    expect(await page.inputValue("[name=object_id]")).toBe(`${site}`)
    await close()
  })

  thorough("has custom links as buttons and menus, legible in every colour", async () => {
    const { page, close } = await loggedIn()
    const buttons = page.locator("main .ph-act a[class*='link-']")
    // The workers of templates may still be starting.
    await expect
      .poll(async () => {
        await page.goto(path())
        return buttons.count()
      })
      .toBe(buttonClasses.length)
    expect(await buttons.first().getAttribute("href")).toBe("https://example.com/oslo")
    expect(await page.locator("main .ph-act button[disabled]").textContent()).toBe("Script of Oslo")
    await page.click("main .ph-act >> text=Monitoring")
    const menu = page.locator("main .ph-act .menu-list")
    await menu.waitFor()
    // It neither leaves the screen nor lies over the navigation.
    expect((await menu.boundingBox())!.x).toBeGreaterThan(248)
    await page.setViewportSize({ width: 390, height: 844 })
    expect((await menu.boundingBox())!.x).toBeGreaterThan(0)
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.click("main .ph-act >> text=Monitoring")
    for (const theme of ["light", "dark"] as const) expect(await accessibility(page, theme)).toEqual([])
    expect(await sideways(page)).toEqual([])
    await close()
  })
})

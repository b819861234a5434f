/** The images of a device type in a browser: in its form, with and without scripts, on its page, and on that of a device. */
import type { Page } from "playwright-core"
import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { accessibility, at, hasBrowser, sideways } from "../support/Browser.ts"
import { type Json, named } from "../support/Client.ts"
import { formWith, gif, png } from "../support/Images.ts"
import { startConsole } from "./Fixture.ts"

let api: Api
let manufacturer: number
let id: number
let front: Buffer
let rear: Buffer
let count = 0

const { loggedIn } = startConsole(async (started) => {
  api = started
  manufacturer = await api.make("dcim/manufacturers", named("Acme"))
}, sharedApi)

const path = () => `/dcim/device-types/${id}/`
const stored = async () => (await api.call<Json>("GET", `/api${path()}`)).json
const file = (name: string, buffer: Buffer) => ({ name, mimeType: "image/png", buffer })
const saveButton = ".form-end button.btn-primary"

/** Expects that the images of a page are shown, with these texts. */
const expectPictures = async (page: Page, texts: ReadonlyArray<string>) => {
  const images = page.locator("main img.attached")
  expect(await images.evaluateAll((all) => all.map((each) => each.getAttribute("alt")))).toEqual(texts)
  for (const image of await images.all()) {
    await image.scrollIntoViewIfNeeded()
    await expect
      .poll(() => image.evaluate((each) => (each as { naturalWidth?: number }).naturalWidth))
      .toBeGreaterThan(0)
  }
}

describe.skipIf(!hasBrowser)("the images of a device type", () => {
  beforeAll(async () => {
    const { page, close } = await loggedIn()
    await page.goto("/")
    front = await page.screenshot({ clip: { x: 0, y: 0, width: 600, height: 80 } })
    rear = await page.screenshot({ clip: { x: 0, y: 80, width: 600, height: 80 } })
    await close()
  })
  beforeEach(async () => {
    count += 1
    id = await api.make("dcim/device-types", { manufacturer, model: `Model ${count}`, slug: `model-${count}` })
  })

  it("are added, shown, replaced and removed by its form", async () => {
    const { page, close } = await loggedIn()
    await page.goto(`${path()}edit/`)
    expect(await page.locator("img.attached, [type=checkbox][name=front_image]").count()).toBe(0)
    await page.setInputFiles("#f-front_image", file("front.png", front))
    await page.setInputFiles("#f-rear_image", file("rear.png", rear))
    await page.fill("#f-description", "with images")
    await page.click(saveButton)
    await page.waitForURL(at(path()))
    const model = `Model ${count}`
    await expectPictures(page, [`Front image of ${model}`, `Rear image of ${model}`])
    for (const theme of ["light", "dark"] as const) expect(await accessibility(page, theme)).toEqual([])
    expect(await sideways(page)).toEqual([])
    const both = await stored()
    expect(both).toMatchObject({
      description: "with images",
      front_image: expect.stringContaining("/front_") as string
    })
    await page.goto(`${path()}edit/`)
    await expectPictures(page, [`Front image of ${model}`, `Rear image of ${model}`])
    for (const theme of ["light", "dark"] as const) expect(await accessibility(page, theme)).toEqual([])
    expect(await sideways(page)).toEqual([])
    await page.check("[type=checkbox][name=front_image]")
    await page.setInputFiles("#f-rear_image", file("other.png", front))
    await page.click(saveButton)
    await page.waitForURL(at(path()))
    await expectPictures(page, [`Rear image of ${model}`])
    expect(await stored()).toMatchObject({
      front_image: null,
      rear_image: expect.stringContaining("/other_") as string
    })
    const device_role = await api.make("dcim/device-roles", { ...named(`Role ${count}`), color: "ff0000" })
    const site = await api.make("dcim/sites", named(`Site ${count}`))
    const device = await api.make("dcim/devices", { name: `d${count}`, device_type: id, device_role, site })
    await page.goto(`/dcim/devices/${device}/`)
    await expectPictures(page, [`Rear image of ${model}`])
    expect(await accessibility(page)).toEqual([])
    await close()
  })

  it("are kept in the form through a refusal and a preview, and sent again", async () => {
    const { page, close } = await loggedIn()
    await page.goto(`${path()}edit/`)
    await page.setInputFiles("#f-front_image", file("front.png", Buffer.from("<svg/>")))
    await page.setInputFiles("#f-rear_image", file("rear.png", rear))
    await page.click(saveButton)
    const error = page.locator("#e-front_image")
    await error.waitFor()
    expect(await error.textContent()).toContain("Upload a valid image")
    expect(await page.getAttribute("#f-front_image", "aria-invalid")).toBe("true")
    expect(await accessibility(page)).toEqual([])
    await page.setInputFiles("#f-front_image", file("front.png", front))
    await page.click(".form-end [name=_preview]")
    await page.locator("main", { hasText: "/media/devicetype-images/" }).waitFor()
    expect(await stored()).toMatchObject({ front_image: null, rear_image: null })
    await page.click(saveButton)
    await page.waitForURL(at(path()))
    await expectPictures(page, [`Front image of Model ${count}`, `Rear image of Model ${count}`])
    await page.goto(`${path()}edit/`)
    await page.setInputFiles("#f-front_image", file("large.png", Buffer.alloc(10 * 1024 * 1024 + 1)))
    await page.click(saveButton)
    await page.locator(".form-end .field-error", { hasText: "larger than 10 MiB" }).waitFor()
    await close()
  })

  it("are added and removed without scripts, also beside a change of somebody else", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto(`/dcim/device-types/add/`)
    await page.fill("#f-manufacturer", `${manufacturer}`)
    await page.fill("#f-model", `Added ${count}`)
    const again = () => page.locator("#h-front_image", { hasText: "Choose the file again" }).count()
    await page.setInputFiles("#f-front_image", file("front.png", front))
    await page.click("[name=_pick][value=manufacturer]")
    await page.click("main >> text=Back to the form")
    expect([await again(), await page.locator("#h-rear_image", { hasText: "again" }).count()]).toEqual([1, 0])
    await page.setInputFiles("#f-front_image", file("front.png", front))
    await page.click(".form-end [name=_preview]")
    expect(await again()).toBe(1)
    await page.setInputFiles("#f-front_image", file("front.png", front))
    await page.click(saveButton)
    await page.waitForURL(/device-types\/\d+\/$/)
    id = Number(/(\d+)\/$/.exec(page.url())![1])
    await expectPictures(page, [`Front image of Added ${count}`])
    await page.goto(`${path()}edit/`)
    await api.call("PATCH", `/api${path()}`, { description: "theirs" })
    await page.fill("#f-description", "mine")
    await page.check("[type=checkbox][name=front_image]")
    await page.click(saveButton)
    await page.locator("main", { hasText: "Somebody else has changed this object" }).waitFor()
    expect(await page.isChecked("[type=checkbox][name=front_image]")).toBe(true)
    await page.check("[name=_take_description][value=mine]")
    await page.click(saveButton)
    await page.waitForURL(at(path()))
    expect(await stored()).toMatchObject({ description: "mine", front_image: null })
    await close()
  })

  it("are not taken from a form of another site, nor without the right", async () => {
    const browser = openBrowser(api.service.url)
    await browser.logIn()
    const send = (fields: Readonly<Record<string, string>>) =>
      browser.fetch(`${path()}edit/`, { method: "POST", body: formWith(fields, { front_image: gif(3, 3) }) })
    expect((await send({ csrfmiddlewaretoken: "x" })).status).toBe(403)
    expect((await send({})).status).toBe(403)
    const shown = await (await browser.fetch(`${path()}edit/`)).text()
    const csrfmiddlewaretoken = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(shown)![1]!
    expect((await send({ model: "first", csrfmiddlewaretoken })).status).toBe(403)
    expect(await stored()).toMatchObject({ front_image: null, model: `Model ${count}` })
    expect((await send({ csrfmiddlewaretoken, _version: "" })).status).toBe(412)
    expect((await send({ csrfmiddlewaretoken })).status).toBe(302)
    expect(await stored()).toMatchObject({ front_image: expect.stringContaining(".gif") as string })
    const many = Object.fromEntries(Array.from({ length: 1100 }, (_, at) => [`f${at}`, "x"]))
    expect((await send({ csrfmiddlewaretoken, ...many })).status).toBe(400)
    const large = formWith(
      { csrfmiddlewaretoken },
      { front_image: Buffer.concat([png(1, 1), Buffer.alloc(21 * 1024 * 1024)]) }
    )
    expect((await browser.fetch(`${path()}edit/`, { method: "POST", body: large })).status).toBe(413)
  })

  it("leave what was typed where the session has ended", async () => {
    const browser = openBrowser(api.service.url, { accept: "text/html" })
    await browser.logIn()
    const shown = await (await browser.fetch(`${path()}edit/`)).text()
    const csrfmiddlewaretoken = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(shown)![1]!
    await api.database.superuser.query("update rackwire_session set expires = now() where expires > now()")
    const body = formWith({ csrfmiddlewaretoken, description: "typed for long" }, { front_image: gif(3, 3) })
    const lost = await browser.fetch(`${path()}edit/`, { method: "POST", body })
    expect([lost.status, await lost.text()]).toEqual([403, expect.stringContaining("typed for long")])
  })
})

/** Wrong fields of a long form: the browser jumps to them, and nothing lies over them. */
import { describe, expect, it } from "vitest"
import type { Page } from "playwright-core"
import { sharedApi } from "../support/Api.ts"
import { hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

let webhook: number

const { loggedIn } = startConsole(async (api) => {
  const fields = { name: "cmdb", content_types: ["extras.tag"], type_create: true, payload_url: "http://127.0.0.1:1/" }
  webhook = await api.make("extras/webhooks", fields)
}, sharedApi)

/** By which of the bars the row of the focused field is covered, and whether it is on the screen. */
const coverOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const field = document.activeElement
    const { top, bottom } = field.closest(".form-row").getBoundingClientRect()
    const rects = [...document.querySelectorAll(".form-end, .topbar")]
      .map((bar) => [bar.className, bar.getBoundingClientRect()])
    const over = rects.filter(([, bar]) => bar.top < bottom && bar.bottom > top).map(([name]) => name)
    const isShown = top >= 0 && bottom <= innerHeight
    return [field.name, isShown ? "shown" : "cut", ...over].join(" ")
  })()`)

describe.skipIf(!hasBrowser)("a wrong field", () => {
  it.each([
    [1440, 900],
    [390, 844]
  ])("is not covered when the browser jumps to it: %i by %i pixels", async (width, height) => {
    for (const wrong of [
      "payload_url",
      "conditions",
      "body_template",
      "ca_certificate",
      "client_certificate",
      "batch"
    ]) {
      const { page, close } = await loggedIn({ viewport: { width, height } })
      await page.goto(`/extras/webhooks/${webhook}/edit/`)
      await page.fill(`#f-${wrong}`, "{% x")
      await page.locator(".form-end button").first().click()
      await page.waitForSelector(".field-error")
      // By the summary at the head, and by a focus that finds it behind the bar.
      await page.getByRole("alert").getByRole("link").last().click()
      await expect.poll(() => coverOf(page)).toBe(`${wrong} shown`)
      await page.evaluate(`(() => {
        const field = document.activeElement
        field.blur()
        scrollBy(0, field.getBoundingClientRect().top - document.querySelector(".form-end").getBoundingClientRect().top)
      })()`)
      await page.focus(`#f-${wrong}`)
      expect(await coverOf(page)).toBe(`${wrong} shown`)
      await close()
    }
  })
})

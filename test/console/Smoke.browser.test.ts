/** The console at a glance, for the first tier: a login, a form, an object, a webhook and its delivery. */
import { describe, expect, it } from "vitest"
import type { Api } from "../support/Api.ts"
import { accessibility, hasBrowser, logIn } from "../support/Browser.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { password } from "../support/Client.ts"
import { startReceiver } from "../support/Receiver.ts"
import { startConsole } from "./Fixture.ts"

let api: Api

const { opened } = startConsole((started) => void (api = started))

describe.skipIf(!hasBrowser)("the console", () => {
  it("takes a new site, shows it, and shows that the webhook for it was delivered", async () => {
    const receiver = await startReceiver()
    await api.call("POST", "/api/extras/webhooks/", {
      ...{ name: "sites", content_types: ["dcim.site"], type_create: true, payload_url: receiver.url }
    })
    const { page } = await opened()
    await logIn(page, "admin", password)
    await page.goto("/dcim/sites/add/")
    await page.fill("[name=name]", "Amsterdam")
    await page.fill("[name=slug]", "amsterdam")
    await page.click("form .form-end .btn-primary")
    await expect.poll(() => page.locator("h1").textContent()).toContain("Amsterdam")
    expect(await accessibility(page)).toEqual([])
    await receiver.until(({ body }) => body.includes("Amsterdam"), "the delivery")
    await caughtUp(api.database)
    await page.goto("/extras/deliveries/")
    const row = page.locator("tbody tr").filter({ hasText: "site Amsterdam" })
    expect(await row.allTextContents()).toEqual([expect.stringContaining("Successful")])
    await receiver.close()
  })
})

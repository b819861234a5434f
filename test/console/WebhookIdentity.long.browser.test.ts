/** The fields of a webhook's form that show its receiver who it is. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasBrowser } from "../support/Browser.ts"
import { hasOpenssl } from "../support/Certificate.ts"
import { type ClientAuthority, makeClientAuthority } from "../support/ClientAuthority.ts"
import { startConsole } from "./Fixture.ts"

const { loggedIn } = startConsole(() => {})

describe.runIf(hasBrowser && hasOpenssl)("the form of a webhook", () => {
  let authority: ClientAuthority

  beforeAll(() => {
    authority = makeClientAuthority()
  })

  afterAll(() => authority.remove())

  it("takes a client certificate with its key, and secrets that it never shows again", async () => {
    const { page } = await loggedIn()
    const [one, two] = [authority.issue("one"), authority.issue("two")]
    await page.goto("/extras/webhooks/add/")
    await page.getByLabel("Name").fill("certified")
    await page.getByLabel("Creations").selectOption("true")
    await page.locator("#f-content_types").fill("dcim.site")
    await page.locator("#f-content_types").press("Enter")
    await page.getByLabel("Payload URL").fill("https://ann:planted-user@receiver.example/")
    await page.getByLabel("Client certificate").fill(one.cert)
    await page.getByLabel("Client key").fill(two.key)
    await page.getByLabel("OAuth token URL").fill("https://login.example/token")
    await page.getByLabel("OAuth client ID").fill("rackwire")
    await page.getByLabel("OAuth client secret").fill("planted-client")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await expect
      .poll(() => page.locator("#e-client_key").textContent())
      .toContain("not the key of the first certificate")
    await page.getByLabel("Client key").fill(one.key)
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.waitForURL(/\/extras\/webhooks\/\d+\/$/)
    const saved = page.url()
    for (const path of ["", "configuration/", "changelog/", "edit/"]) {
      expect((await page.goto(`${saved}${path}`))?.status()).toBe(200)
      const content = await page.content()
      for (const secret of ["planted-", one.key.split("\n")[1]!]) expect(content).not.toContain(secret)
    }
    expect(await page.getByLabel("Payload URL").inputValue()).toBe("https://***@receiver.example/")
    expect(await page.getByLabel("Client certificate").inputValue()).toBe(one.cert)
    expect(await page.getByLabel("Client key").inputValue()).toBe("")
    await page.getByLabel("Description").fill("changed")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.waitForURL(/\/extras\/webhooks\/\d+\/$/)
  })
})

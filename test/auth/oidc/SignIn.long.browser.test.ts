/** Logging in by a provider in a real browser: the whole way to it, back, and out again. */
import { decodeJwt } from "jose"
import { afterAll, describe, expect, it } from "vitest"
import { startConsole } from "../../console/Fixture.ts"
import { type Api, startApi } from "../../support/Api.ts"
import { faultsOf, hasBrowser } from "../../support/Browser.ts"
import { type RealProvider, client, startRealProvider } from "./RealProvider.ts"

let provider: RealProvider
let api: Api

const { opened } = startConsole(
  () => {},
  async () => {
    provider = await startRealProvider()
    provider.offer = { sub: "ana-1", preferred_username: "ana", email: "ana@example.org" }
    api = await startApi({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: client.id,
      OIDC_CLIENT_SECRET: client.secret,
      OIDC_LABEL: "Company login",
      OIDC_AWAY_ISSUER: "http://127.0.0.1:9",
      OIDC_AWAY_CLIENT_ID: "rackwire",
      OIDC_AWAY_LABEL: "Another provider, whose name is rather long"
    })
    await provider.register(api.service.url)
    return api
  }
)

afterAll(() => provider?.stop())

describe.skipIf(!hasBrowser)("a person", () => {
  it("logs in by a provider with the keyboard, works, logs out, and out of the provider too", async () => {
    const { page, problems, close } = await opened()
    await page.goto("/user/preferences/")
    expect(new URL(page.url()).pathname).toBe("/login/")
    await page.getByRole("link", { name: "Log in with Company login" }).focus()
    await page.keyboard.press("Enter")
    await page.waitForURL(`${provider.issuer}/**`)
    await page.getByRole("button", { name: "I am ana-1" }).click()
    await page.waitForURL(`${api.service.url}/user/preferences/`)
    expect(await page.textContent("body")).toContain("ana")
    await page.goto("/logout/")
    await page.getByRole("button", { name: "Log out" }).click()
    expect(await page.textContent("main")).toContain("You may still be logged in at Company login.")
    expect(await faultsOf(page)).toEqual([])
    const wayOut = page.getByRole("link", { name: "Log out of Company login too" })
    const hint = new URL((await wayOut.getAttribute("href"))!).searchParams.get("id_token_hint")!
    expect(decodeJwt(hint)).toMatchObject({ iss: provider.issuer, sub: "ana-1", aud: client.id })
    await wayOut.click()
    await page.waitForURL(`${provider.issuer}/**`)
    await page.locator("button[name=logout]").click()
    await page.waitForURL(`${api.service.url}/login/**`)
    // The provider is another host, and its pages have styles of their own.
    problems.splice(0)
    await close()
  })

  it("reads why a sign-in failed, on a page with every other way in", async () => {
    const { page, problems, close } = await opened()
    await page.goto("/login/?next=/dcim/sites/")
    expect(await faultsOf(page)).toEqual([])
    expect(problems).toEqual([])
    await page.getByRole("link", { name: "Log in with Another provider" }).click()
    expect(await page.getByRole("alert").textContent()).toContain("does not answer, so nobody can log in by it now")
    expect(await page.textContent("main")).toMatch(/Reference [0-9a-f-]{36}/)
    expect(await faultsOf(page)).toEqual([])
    expect(await page.getByRole("link", { name: "Log in with Company login" }).getAttribute("href")).toContain(
      "next=%2Fdcim%2Fsites%2F"
    )
    // The page says that the provider is away.
    expect(problems.splice(0).every((problem) => problem.includes("503"))).toBe(true)
    await close()
  })
})

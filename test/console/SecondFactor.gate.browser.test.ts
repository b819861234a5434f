/** The pages of the second factor in a real browser, with the keyboard alone and without scripts. */
import { describe, expect, it } from "vitest"
import { codeOf, forgetSteps } from "../auth/factor/App.ts"
import { makeUser, userPassword } from "../auth/Users.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { at, faultsOf, hasBrowser, logIn } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api

const { opened, loggedInAs } = startConsole(
  async (started) => {
    api = started
    await makeUser(api, "kim")
    await makeUser(api, "lea")
  },
  () => startApiAlone()
)

/** Moves the last confirmation of all sessions into the past. */
const age = () => api.database.superuser.query("update rackwire_session set confirmed = now() - interval '6 minutes'")

describe.skipIf(!hasBrowser)("the second factor", () => {
  thorough("is set up, used, confirmed and removed with the keyboard alone", async () => {
    const { page } = await loggedInAs("kim")
    await page.goto("/user/factors/")
    expect(await faultsOf(page)).toEqual([])
    await page.focus("main .btn-primary")
    await page.keyboard.press("Enter")
    await page.waitForURL(at("/user/factors/app/"))
    expect(await faultsOf(page)).toEqual([])
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("code")
    const secret = (await page.textContent("#secret"))!.replaceAll(" ", "")
    await page.keyboard.type("000000")
    await page.keyboard.press("Enter")
    await page.getByRole("alert").waitFor()
    expect((await page.textContent("#secret"))!.replaceAll(" ", "")).toBe(secret)
    await page.keyboard.type(codeOf(secret))
    await page.keyboard.press("Enter")
    await page.locator("#codes").waitFor()
    expect([await page.locator("#codes li").count(), await faultsOf(page)]).toEqual([10, []])
    const [code = ""] = await page.locator("#codes li").allTextContents()
    await page.getByRole("link", { name: "I have stored them" }).click()
    expect(await page.textContent("main")).toContain("10 of 10 are left")
    expect(await faultsOf(page)).toEqual([])

    const visitor = await opened()
    await logIn(visitor.page, "kim", userPassword)
    await visitor.page.waitForURL(at("/login/factor/"))
    expect(await faultsOf(visitor.page)).toEqual([])
    await visitor.page.keyboard.type("000000")
    await visitor.page.keyboard.press("Enter")
    await visitor.page.getByRole("alert").waitFor()
    await visitor.page.focus("summary")
    await visitor.page.keyboard.press("Enter")
    await visitor.page.keyboard.press("Tab")
    await visitor.page.keyboard.type(code)
    await visitor.page.keyboard.press("Enter")
    await visitor.page.waitForURL(at("/"))
    expect(await visitor.page.textContent("header, nav")).not.toBe("")

    await age()
    await visitor.page.goto("/user/factors/")
    await visitor.page.getByRole("button", { name: "Remove the app" }).press("Enter")
    await visitor.page.waitForURL("**/user/confirm/**")
    expect(await faultsOf(visitor.page)).toEqual([])
    await visitor.page.keyboard.type(userPassword)
    await visitor.page.keyboard.press("Enter")
    await visitor.page.waitForURL(at("/user/factors/"))
    await visitor.page.getByRole("button", { name: "Remove the app" }).press("Enter")
    await visitor.page.getByRole("status").waitFor()
    expect(await visitor.page.textContent("main")).toContain("The authenticator app is removed")
  })

  it("works without scripts", async () => {
    const { page } = await loggedInAs("lea", { javaScriptEnabled: false })
    await page.goto("/user/factors/app/")
    const secret = (await page.textContent("#secret"))!.replaceAll(" ", "")
    await page.fill("[name=code]", codeOf(secret))
    await page.click("form button")
    expect(await page.locator("#codes li").count()).toBe(10)
    await forgetSteps(api)
    const visitor = await opened({ javaScriptEnabled: false })
    await logIn(visitor.page, "lea", userPassword)
    await visitor.page.fill("[name=code]", codeOf(secret))
    await visitor.page.click("form button")
    await visitor.page.goto("/user/")
    expect(await visitor.page.textContent("main")).toContain("lea")
  })
})

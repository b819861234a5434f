/** Logging in with a password of the directory in a real browser. */
import { afterAll, describe, expect, it } from "vitest"
import { startConsole } from "../../console/Fixture.ts"
import { startApi } from "../../support/Api.ts"
import { at, faultsOf, hasBrowser } from "../../support/Browser.ts"
import { type Slapd, hasSlapd, secret, startSlapd } from "./Slapd.ts"

let slapd: Slapd | undefined

const { opened } = startConsole(
  () => {},
  async () => {
    if (!hasSlapd) return startApi()
    slapd = await startSlapd()
    return startApi(slapd.options)
  }
)

afterAll(() => slapd?.stop())

describe.skipIf(!hasBrowser || !hasSlapd)("a person of the directory", () => {
  it("logs in with the keyboard, and reads why not: a wrong password, a directory that is away", async () => {
    const { page, problems, close } = await opened()
    await page.goto("/login/?next=/dcim/sites/")
    expect(await faultsOf(page)).toEqual([])
    const typed = async (word: string) => {
      await page.getByLabel("Username").focus()
      await page.keyboard.press("ControlOrMeta+A")
      await page.keyboard.type("ana")
      await page.keyboard.press("Tab")
      await page.keyboard.type(word)
      await page.keyboard.press("Enter")
    }
    await typed("wrong")
    await page.getByRole("alert").getByText("Please enter a correct username and password").waitFor()
    await typed(secret)
    await page.waitForURL(at("/dcim/sites/"))
    await page.goto("/logout/")
    await page.getByRole("button", { name: "Log out" }).click()
    await slapd!.stop()
    slapd = undefined
    await page.goto("/login/")
    await typed(secret)
    await page.getByRole("alert").getByText("The directory does not answer").waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(problems).toEqual([])
    await close()
  })
})

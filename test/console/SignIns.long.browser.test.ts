/** The audit of sign-ins in a real browser: its place in the menu, its list with filters and export, and a row. */
import { describe, expect, it } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { makeUser, userPassword } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { at, faultsOf, hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

let api: Api

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  await makeUser(api, "ana")
  await makeUser(api, "auditor", { types: ["users.signin", "users.user"], actions: ["view"] })
  const agent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"
  const visitor = openBrowser(api.service.url, { "user-agent": agent })
  await visitor.logIn("ana", "a wrong password")
  await visitor.logIn("ana", userPassword)
  await openBrowser(api.service.url).logIn("<img src=x onerror=alert(1)>", "wrong")
})

const list = "/users/sign-ins/"

describe.skipIf(!hasBrowser)("sign-ins", () => {
  it("are listed near the users, filtered and exported, without JavaScript", async () => {
    const { page, problems, close } = await loggedInAs("auditor", { javaScriptEnabled: false })
    await page.goto("/users/users/")
    await page.getByRole("link", { name: "Sign-ins" }).click()
    await page.waitForURL(at(list))
    expect(await page.textContent("h1")).toContain("Sign-ins")
    const main = (await page.textContent("main"))!
    for (const text of ["Refused: ana", "Logged in: ana", "WrongPassword", "<img src=x"]) expect(main).toContain(text)
    expect(await page.getByRole("link", { name: "Add sign-in" }).count()).toBe(0)
    await page.goto(`${list}?kind=refused&user=ana&way=password&address=127.0.0.1&time_after=2020-01-01T00:00:00Z`)
    expect(await page.locator("#objects tbody tr").count()).toBe(1)
    await page.click("main summary:has-text('Export')")
    const address = await page.getAttribute(".menu-list >> text=CSV >> nth=0", "href")
    const [head, row, ...more] = (await (await page.request.get(address!)).text()).trim().split(/\r?\n/)
    expect([head, row]).toEqual([expect.stringContaining("reason"), expect.stringContaining("WrongPassword")])
    expect(more).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it("are chosen by the form of filters and opened with the keyboard alone", async () => {
    const { page, close } = await loggedIn()
    await page.goto(list)
    await page.locator(".filters > summary").focus()
    await page.keyboard.press("Enter")
    await page.locator("[name=kind]").focus()
    await page.keyboard.type("Refused")
    await page.locator("[name=time__gte]").waitFor()
    for (const name of ["way", "name", "address"]) expect(await page.locator(`.filters [name=${name}]`).count()).toBe(1)
    await page.locator(".filters button", { hasText: "Apply" }).focus()
    await page.keyboard.press("Enter")
    await page.waitForURL(`**${list}?kind=refused`)
    await expect.poll(() => page.locator("#objects tbody tr").count()).toBe(2)
    await page.getByRole("link", { name: "Refused: ana" }).focus()
    await page.keyboard.press("Enter")
    await page.waitForURL(/sign-ins\/\d+\/$/)
    const main = (await page.textContent("main"))!
    for (const text of ["Refused", "ana", "127.0.0.1", "Firefox", "WrongPassword"]) expect(main).toContain(text)
    expect(await page.locator("main a", { hasText: "Edit" }).count()).toBe(0)
    await close()
  })

  it("are hidden from users without the permission", async () => {
    const { page, problems, close } = await loggedInAs("ana")
    await page.goto("/")
    expect(await page.getByRole("link", { name: "Sign-ins" }).count()).toBe(0)
    expect((await page.goto(list))!.status()).toBe(403)
    problems.length = 0
    await close()
  })

  it("and the sessions of a user have no fault in light and dark, and fit a small screen", async () => {
    const { page, problems, close } = await loggedIn()
    const [{ id } = { id: 0 }] = await api.database.sql.query<{ readonly id: number }>(
      "select id::int as id from users_signin where name = 'ana' order by id limit 1"
    )
    const [{ user } = { user: 0 }] = await api.database.sql.query<{ readonly user: number }>(
      "select id::int as user from users_user where username = 'ana'"
    )
    const found: Array<string> = []
    for (const path of [list, `${list}${id}/`, `/users/users/${user}/sessions/`]) {
      expect([path, (await page.goto(path))?.status()]).toEqual([path, 200])
      found.push(...(await faultsOf(page)))
    }
    expect([...found, ...problems]).toEqual([])
    await close()
  })
})

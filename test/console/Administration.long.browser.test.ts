/** The pages of users and permissions in a real browser, for those who keep accounts. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { type User, makeUser, userPassword } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { type List, named } from "../support/Client.ts"
import { at, faultsOf, hasBrowser, logIn } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

let api: Api
let ana: User

const { loggedIn, loggedInAs, opened } = startConsole(async (started) => {
  api = started
  ana = await makeUser(api, "ana", {
    types: ["dcim.site"],
    actions: ["view", "change"],
    constraints: { status: "active" }
  })
  await api.call("POST", "/api/dcim/sites/", [
    { ...named("Oslo"), status: "active" },
    { ...named("Bergen"), status: "active" },
    { ...named("Hidden"), status: "planned" }
  ])
})

/** The token of the forms of a page. */
const csrfOf = (page: Page): Promise<string> => page.locator("[name=csrfmiddlewaretoken]").first().inputValue()

describe.skipIf(!hasBrowser)("for administrators", () => {
  const permissionOf = async (user: number) =>
    (await api.call<List>("GET", `/api/users/permissions/?user_id=${user}`)).json.results[0]!.id

  it("a permission tells who holds it, and what a user would see", async () => {
    const permission = await permissionOf(ana.id)
    const { page, problems, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto(`/users/permissions/${permission}/`)
    expect(await page.getByRole("region", { name: "Granted to" }).locator("a").allTextContents()).toEqual(["ana"])
    await page.fill("#as-user", "ana")
    await page.click("text=Show")
    await page.waitForURL("**?user=ana")
    const test = page.getByRole("region", { name: "Test as user" })
    expect(await test.innerText()).toContain("ana holds this permission, and would see")
    const seen = (await ana.call("GET", "/api/dcim/sites/")).json["count"]
    expect((await test.locator("li", { hasText: "Sites" }).innerText()).replaceAll(/\s+/g, " ")).toBe(`Sites ${seen}`)
    await page.fill("#as-user", "nobody")
    await page.click("text=Show")
    expect(await test.innerText()).toContain("There is no user of this name")
    expect(problems).toEqual([])
    await close()
  })

  it("a user's page tells the effective permissions, and sets a password that no page shows", async () => {
    const { page, close } = await loggedIn()
    await page.goto(`/users/users/${ana.id}/`)
    const row = page.getByRole("region", { name: "Effective permissions" }).locator("tr", { hasText: "Sites" })
    expect((await row.innerText()).replaceAll(/\s+/g, " ")).toBe("Sites view, change status is active")
    const { id, name } = await makeUser(api, "eva")
    await page.goto(`/users/users/${id}/`)
    await page.click("text=Set password")
    await page.fill("#new_password", "short")
    await page.click("main form button")
    expect(await page.textContent("#wrong")).toContain("At least 8 characters")
    expect(await page.inputValue("#new_password")).toBe("")
    await page.fill("#new_password", "another long password")
    await page.click("main form button")
    await page.waitForURL(at(`/users/users/${id}/`))
    await close()
    const other = await opened()
    await logIn(other.page, name, "another long password")
    await other.page.goto("/user/")
    expect(await other.page.textContent("main")).toContain("eva")
    await other.close()
  })

  it("the sessions of a user are listed, and end one by one or all at once, each in the log", async () => {
    const { id } = await makeUser(api, "greta")
    const agent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"
    const [first, second] = [await loggedInAs("greta", { userAgent: agent }), await loggedInAs("greta")]
    const isOut = async ({ page }: typeof first) => {
      await page.goto("/user/")
      return page.url().includes("/login/")
    }
    const { page, problems, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto(`/users/users/${id}/`)
    await page.getByRole("link", { name: "Sessions" }).click()
    await page.waitForURL(at(`/users/users/${id}/sessions/`))
    expect(await page.locator("tbody tr").count()).toBe(2)
    expect(await page.locator("main a[href='/logout/']").count()).toBe(0)
    await page.locator("tr", { hasText: "Firefox on Windows" }).getByText("End").click()
    await page.waitForURL("**/sessions/?ended=1")
    expect([await page.locator("tbody tr").count(), await isOut(first), await isOut(second)]).toEqual([1, true, false])
    await page.getByText("End all").click()
    await page.getByText("greta has no session.").waitFor()
    expect(await isOut(second)).toBe(true)
    const line = String.raw`\"admin\" ended 1 sessions of \"greta\" from \"127.0.0.1\"`
    expect(api.service.output().split(line)).toHaveLength(3)
    expect(problems).toEqual([])
    for (const each of [close, first.close, second.close]) await each()
  })

  it("the sessions of a superuser are for superusers, and those of a user for readers who may change the user", async () => {
    await makeUser(api, "ivar", { types: ["users.user"], actions: ["view", "change"] })
    await makeUser(api, "jon", { types: ["users.user"], actions: ["view"] })
    const [admin, keeper, viewer] = [await loggedIn(), await loggedInAs("ivar"), await loggedInAs("jon")]
    const [{ id } = { id: 0 }] = await api.database.sql.query<{ readonly id: number }>(
      "select id::int as id from users_user where username = 'admin'"
    )
    await keeper.page.goto("/user/preferences/")
    const form = { csrfmiddlewaretoken: await csrfOf(keeper.page), session: "others" }
    const path = `/users/users/${id}/sessions/`
    const ended = await keeper.page.request.post(path, { form, maxRedirects: 0 })
    expect([(await keeper.page.goto(path))!.status(), ended.status()]).toEqual([404, 404])
    expect((await keeper.page.goto(`/users/users/${ana.id}/sessions/`))!.status()).toBe(200)
    expect((await viewer.page.goto(`/users/users/${ana.id}/sessions/`))!.status()).toBe(403)
    expect((await admin.page.goto(path))!.status()).toBe(200)
    expect(await admin.page.textContent("tbody tr:first-child")).toContain("This one")
    for (const { problems } of [keeper, viewer]) problems.length = 0
    for (const { close } of [admin, keeper, viewer]) await close()
  })

  it("shows neither permissions nor the form to those who may only view users", async () => {
    await makeUser(api, "fred", { types: ["users.user"], actions: ["view"] })
    const { page, close } = await loggedInAs("fred")
    await page.goto(`/users/users/${ana.id}/`)
    expect(await page.locator("text=Effective permissions").count()).toBe(0)
    expect(await page.locator("text=Set password").count()).toBe(0)
    expect((await page.goto(`/users/users/${ana.id}/password/`))!.status()).toBe(403)
    await close()
  })

  it("users and permissions are written with the forms of every object, and the log of the service tells by whom", async () => {
    const { page, problems, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto("/users/users/")
    await page.click("text=Add user")
    await page.fill("[name=username]", "hilde")
    await page.fill("[name=password]", "short")
    await page.click("main form .btn-primary")
    expect(await page.textContent("main")).toContain("At least 8 characters")
    await page.fill("[name=password]", userPassword)
    await page.click("main form .btn-primary")
    await page.waitForURL(/\/users\/users\/\d+\/$/)
    const id = Number(/(\d+)\/$/.exec(page.url())![1])
    expect(api.service.output()).toContain(`audit: \\"admin\\" did \\"POST /users/users/add/\\": ${id}`)
    const permission = await permissionOf(ana.id)
    await page.goto(`/users/permissions/${permission}/edit/`)
    await page.fill("[name=description]", "for the field")
    await page.click("main form .btn-primary")
    await page.waitForURL(at(`/users/permissions/${permission}/`))
    expect((await api.call("GET", `/api/users/permissions/${permission}/`)).json).toMatchObject({
      ...{ description: "for the field", object_types: ["dcim.site"], actions: ["view", "change"] },
      constraints: { status: "active" }
    })
    expect((await page.goto("/users/tokens/add/"))!.status()).toBe(404)
    expect(problems).toEqual([])
    await close()
  })

  it("tokens of others are made and revoked by those alone who were granted that", async () => {
    await makeUser(
      api,
      "gina",
      { types: ["users.user"], actions: ["view"] },
      { types: ["users.token"], actions: ["view", "add", "delete", "grant"] }
    )
    const { page, close } = await loggedInAs("gina")
    await page.goto(`/users/users/${ana.id}/`)
    await page.click("main .ph-act >> text=Tokens")
    await page.fill("#description", "robot")
    await page.click("main form.object-form button")
    const key = await page.inputValue("#once-token")
    const get = () => fetch(`${api.service.url}/api/dcim/sites/`, { headers: { authorization: `Token ${key}` } })
    expect((await get()).status).toBe(200)
    await page.locator("tr", { hasText: "robot" }).locator("summary").click()
    await page.getByText(`Yes, revoke …${key.slice(-6)}`).click()
    await page.waitForURL("**?done=revoked")
    expect((await get()).status).toBe(403)
    // A token of a superuser would make its holder one.
    await page.goto(`/users/users/${await api.adminId()}/tokens/`)
    await page.click("main form.object-form button")
    expect(await page.textContent("h1")).toContain("You may not do this")
    await close()
    const other = await loggedInAs("ana")
    expect((await other.page.goto(`/users/users/${ana.id}/tokens/`))!.status()).toBe(403)
    await other.close()
  })

  it("the pages have no fault", async () => {
    const { page, problems, close } = await loggedIn()
    const found: Array<string> = []
    const permission = await permissionOf(ana.id)
    for (const path of [
      `/users/permissions/${permission}/?user=ana`,
      `/users/users/${ana.id}/`,
      `/users/users/${ana.id}/password/`,
      `/users/users/${ana.id}/tokens/`
    ]) {
      expect([path, (await page.goto(path))?.status()]).toEqual([path, 200])
      found.push(...(await faultsOf(page)))
    }
    expect([...found, ...problems]).toEqual([])
    await close()
  })
})

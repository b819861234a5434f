/** The pages of an account in a real browser: preferences, tokens and sessions. */
import { describe, expect, it } from "vitest"
import { type User, makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type List, named } from "../support/Client.ts"
import { accessibility, hasBrowser, sideways } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let ana: User

const { loggedInAs, opened } = startConsole(async (started) => {
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
}, sharedApi)

const get = (path: string, token: string) =>
  fetch(api.service.url + path, { headers: { authorization: `Token ${token}` } })

describe.skipIf(!hasBrowser)("preferences", () => {
  thorough("are kept with the account, and count on every page of the console alone", async () => {
    await makeUser(api, "berit", { types: ["dcim.site"], actions: ["view"] })
    const { page, close } = await loggedInAs("berit", { javaScriptEnabled: false })
    await page.goto("/user/preferences/")
    await page.selectOption("#theme", "contrast")
    await page.selectOption("#density", "compact")
    await page.fill("#timeZone", "asia/tokyo")
    await page.fill("#pageSize", "2")
    await page.selectOption("#keys", "off")
    await page.click("main form button")
    await page.waitForURL("**/user/preferences/?saved=1")
    expect(await page.inputValue("#timeZone")).toBe("Asia/Tokyo")
    await close()
    // Another browser of the same reader.
    const other = await loggedInAs("berit", { colorScheme: "dark" })
    await other.page.goto("/dcim/sites/")
    const html = other.page.locator("html")
    expect([await html.getAttribute("data-theme"), await html.getAttribute("data-density")]).toEqual([
      "contrast",
      "compact"
    ])
    expect(await html.getAttribute("data-scheme")).toBe("dark")
    expect(await other.page.locator("#objects tbody tr").count()).toBe(2)
    expect(await other.page.textContent("main")).toContain("of 3")
    await other.page.keyboard.press("/")
    expect(await other.page.evaluate<string>("document.activeElement.tagName")).toBe("BODY")
    await other.page.locator("#objects tbody a").first().click()
    const time = other.page.locator("time").first()
    const utc = new Date((await time.getAttribute("datetime"))!)
    const local = new Date(utc.getTime() + 9 * 3_600_000).toISOString().slice(0, 16).replace("T", " ")
    expect(await time.textContent()).toBe(`${local} GMT+9`)
    expect(await time.getAttribute("title")).toMatch(/ UTC$/)
    await other.close()
    expect((await api.call<List>("GET", "/api/dcim/sites/")).json.results.length).toBe(3)
  })

  it("that are wrong are told beside their fields, and nothing is lost", async () => {
    const { page, problems, close } = await loggedInAs("ana")
    await page.goto("/user/preferences/")
    await page.selectOption("#density", "compact")
    await page.fill("#timeZone", "Mars/Olympus")
    await page.fill("#pageSize", "-5")
    await page.click("main form button")
    expect(await page.textContent("#wrong-timeZone")).toContain("no such time zone")
    expect(await page.textContent("#wrong-pageSize")).toContain("whole number")
    expect(await page.inputValue("#density")).toBe("compact")
    expect(await page.evaluate<string>("document.activeElement.id")).toBe("timeZone")
    expect(problems).toEqual([])
    await close()
  })

  thorough("of the theme count before the login and on errors too", async () => {
    for (const [theme, browsers, shown] of [
      ["dark", "light", "dark"],
      ["light", "dark", "light"],
      ["contrast", "dark", "dark"],
      ["nonsense", "dark", "dark"]
    ] as const) {
      const { page, close } = await opened({ colorScheme: browsers })
      await page.context().addCookies([{ name: "theme", value: theme, url: api.service.url }])
      for (const path of ["/login/", "/nowhere/"]) {
        await page.goto(path)
        const { scheme } = await page.evaluate<{ readonly scheme: string }>("({...document.documentElement.dataset})")
        expect([theme, path, scheme]).toEqual([theme, path, shown])
      }
      await close()
    }
  })
})

describe.skipIf(!hasBrowser)("API tokens", () => {
  it("are shown once, work, note their use, and end when they are revoked", async () => {
    const { page, problems, close } = await loggedInAs("ana")
    await page.goto("/user/api-tokens/")
    await page.fill("#description", "laptop")
    await page.click("main form.object-form button")
    const key = await page.inputValue("#once-token")
    expect(key).toMatch(/^[0-9a-f]{40}$/)
    expect(await page.inputValue("#once-try-it")).toBe(
      `curl -H "Authorization: Token ${key}" ${api.service.url}/api/dcim/sites/`
    )
    await page.click("[data-copy=once-token]")
    await page.getByText("Copied").waitFor()
    expect((await get("/api/dcim/sites/", key)).status).toBe(200)
    await expect
      .poll(async () => {
        await page.goto("/user/api-tokens/")
        return page.locator("tr", { hasText: "laptop" }).locator("time").count()
      })
      .toBe(2)
    expect(await page.content()).not.toContain(key)
    await page.locator("tr", { hasText: "laptop" }).locator("summary").click()
    await page.getByText(`Yes, revoke …${key.slice(-6)}`).click()
    await page.waitForURL("**/user/api-tokens/?done=revoked")
    expect((await get("/api/dcim/sites/", key)).status).toBe(403)
    expect(problems).toEqual([])
    await close()
  })

  thorough("may be bound to addresses, and what is wrong comes back as it was typed", async () => {
    const { page, close } = await loggedInAs("ana", { javaScriptEnabled: false })
    await page.goto("/user/api-tokens/")
    await page.fill("#description", "bound")
    await page.fill("#allowed_ips", "10.0.0.0/33")
    await page.uncheck("[name=write_enabled]")
    await page.click("main form.object-form button")
    expect(await page.textContent("#wrong-allowed_ips")).not.toBe("")
    expect(await page.inputValue("#description")).toBe("bound")
    expect(await page.isChecked("[name=write_enabled]")).toBe(false)
    await page.fill("#allowed_ips", "10.0.0.0/8")
    await page.click("main form.object-form button")
    const refused = await get("/api/dcim/sites/", await page.inputValue("#once-token"))
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("is not permitted")])
    await page.reload()
    expect(await page.locator("#once-token").count()).toBe(0)
    await close()
  })

  thorough("are changed without being shown again, and what is wrong comes back as it was typed", async () => {
    const { page, close } = await loggedInAs("ana", { javaScriptEnabled: false })
    await page.goto("/user/api-tokens/")
    await page.fill("#description", "to be changed")
    await page.click("main form.object-form button")
    const key = await page.inputValue("#once-token")
    await page.goto("/user/api-tokens/")
    await page.locator("tr", { hasText: "to be changed" }).locator("a").click()
    expect(await page.content()).not.toContain(key)
    await page.fill("#allowed_ips", "anywhere")
    await page.fill("#description", "changed")
    await page.click("main form.object-form button")
    expect(await page.textContent("#wrong-allowed_ips")).not.toBe("")
    expect(await page.inputValue("#description")).toBe("changed")
    expect((await get("/api/dcim/sites/", key)).status).toBe(200)
    await page.fill("#allowed_ips", "")
    await page.fill("#expires", "2026-01-31")
    await page.click("main form.object-form button")
    await page.waitForURL("**/user/api-tokens/?done=saved")
    expect(await page.locator("tr", { hasText: "changed" }).count()).toBe(1)
    expect((await get("/api/dcim/sites/", key)).status).toBe(403)
    await close()
  })

  it("of others are neither shown nor revoked there", async () => {
    const cato = await makeUser(api, "cato")
    const [token] = (await api.call<List>("GET", `/api/users/tokens/?user_id=${ana.id}`)).json.results
    const { page, close } = await loggedInAs("cato")
    await page.goto("/user/api-tokens/")
    expect(await page.locator("tbody tr").count()).toBe(1)
    const csrfmiddlewaretoken = await page.locator("[name=csrfmiddlewaretoken]").first().inputValue()
    const path = `/user/api-tokens/${token!.id}/revoke/`
    expect((await page.request.post(path, { form: { csrfmiddlewaretoken } })).status()).toBe(404)
    expect((await page.request.post(path, { form: {} })).status()).toBe(403)
    expect((await get("/api/dcim/sites/", ana.token)).status).toBe(200)
    expect((await get("/api/users/tokens/", cato.token)).status).toBe(200)
    await close()
  })
})

describe.skipIf(!hasBrowser)("sessions", () => {
  thorough("of one's own are listed, and end one by one or all at once", async () => {
    await makeUser(api, "dina")
    const hostile = `<img src=x onerror=alert(1)>`
    const agent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"
    const [here, there, third] = [
      await loggedInAs("dina"),
      await loggedInAs("dina", { userAgent: agent }),
      await loggedInAs("dina", { userAgent: hostile })
    ]
    const { page } = here
    await page.goto("/user/sessions/")
    expect(await page.locator("tbody tr").count()).toBe(3)
    expect(await page.textContent("tbody tr:first-child")).toContain("This one")
    expect(await page.textContent("tbody")).toContain(hostile)
    const firefox = page.locator("tr", { hasText: "Firefox on Windows" })
    expect(await firefox.innerText()).toContain("127.0.0.1")
    await firefox.getByText("End").click()
    await page.waitForURL("**/user/sessions/?ended=1")
    await there.page.goto("/user/sessions/")
    expect(there.page.url()).toContain("/login/")
    await third.page.goto("/user/sessions/")
    expect(third.page.url()).not.toContain("/login/")
    await page.getByText("End all others").click()
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1)
    await third.page.goto("/user/")
    expect(third.page.url()).toContain("/login/")
    expect(here.problems).toEqual([])
    for (const { close } of [here, there, third]) await close()
  })

  it("of others do not end there", async () => {
    await makeUser(api, "emil")
    const [own, other] = [await loggedInAs("ana"), await loggedInAs("emil")]
    const [{ id } = { id: "" }] = await api.database.sql.query<{ readonly id: string }>(
      "select s.id::text as id from rackwire_session s join users_user u on u.id = s.user_id where u.username = 'emil'"
    )
    await own.page.goto("/user/sessions/")
    const csrfmiddlewaretoken = await own.page.locator("[name=csrfmiddlewaretoken]").first().inputValue()
    for (const session of [id, "others", "0 or true"]) {
      await own.page.request.post("/user/sessions/", { form: { csrfmiddlewaretoken, session } })
    }
    await other.page.goto("/user/sessions/")
    expect(other.page.url()).not.toContain("/login/")
    await own.close()
    await other.close()
  })
})

describe.skipIf(!hasBrowser)("the pages of an account", () => {
  it("tell in words what the reader may do", async () => {
    const { page, close } = await loggedInAs("ana")
    await page.goto("/user/")
    const row = await page.locator("tr", { hasText: "Sites" }).innerText()
    expect(row.replaceAll(/\s+/g, " ")).toBe("Sites view, change status is active")
    await close()
  })

  thorough("have no fault, in any theme, also on a small screen", async () => {
    const { page, problems, close } = await loggedInAs("ana")
    const found: Array<string> = []
    for (const path of ["/user/", "/user/preferences/", "/user/api-tokens/", "/user/sessions/"]) {
      expect([path, (await page.goto(path))?.status(), await page.locator("h1").count()]).toEqual([path, 200, 1])
      found.push(...(await accessibility(page)), ...(await accessibility(page, "dark")))
      found.push(...(await accessibility(page, "light contrast")), ...(await accessibility(page, "dark contrast")))
      found.push(...(await sideways(page)))
    }
    expect([...found, ...problems]).toEqual([])
    await close()
  })
})

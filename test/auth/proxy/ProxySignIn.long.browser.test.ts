/** Working behind a proxy in a real browser: every request has the header that the proxy adds. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { startConsole } from "../../console/Fixture.ts"
import { type Api, startApi } from "../../support/Api.ts"
import { faultsOf, hasBrowser } from "../../support/Browser.ts"
import { caughtUp } from "../../support/CaughtUp.ts"
import { synced, trusting } from "./Proxied.ts"

let api: Api

const { opened } = startConsole(
  () => {},
  async () => {
    // With capture, which writes the change log.
    api = await startApi({ ...trusting, ...synced })
    return api
  }
)

const as = (page: Page, name: string, groups = "") =>
  page.setExtraHTTPHeaders({ "x-remote-user": name, "x-remote-groups": groups })

describe.skipIf(!hasBrowser)("a person behind a proxy", () => {
  it("works without a login page, with the keyboard, until the proxy names nobody", async () => {
    const { page, problems, close } = await opened()
    await as(page, "ann", "admins")
    await page.goto("/dcim/regions/add/")
    expect(new URL(page.url()).pathname).toBe("/dcim/regions/add/")
    await page.getByLabel("Name").fill("By proxy")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/dcim\/regions\/\d+\/$/)
    await caughtUp(api.database)
    const [row] = await api.database.sql.query<{ readonly author: string }>(
      "select user_name as author from extras_objectchange where changed_object_type = 'dcim.region'"
    )
    expect(row?.author).toBe("ann")
    await page.goto("/user/")
    expect(await page.textContent("main")).toContain("ann")
    expect(await faultsOf(page)).toEqual([])
    await page.setExtraHTTPHeaders({})
    await page.goto("/user/")
    expect(new URL(page.url()).pathname).toBe("/login/")
    expect(problems).toEqual([])
    await close()
  })

  it("has the rights of the user whom the proxy names now", async () => {
    const { page, problems, close } = await opened({ viewport: { width: 390, height: 800 } })
    await as(page, "ann", "admins")
    await page.goto("/users/groups/")
    expect(await page.textContent("main")).toContain("admins")
    await as(page, "bob")
    const answer = await page.goto("/users/groups/")
    expect([answer?.status(), await page.textContent("main")]).toEqual([403, expect.not.stringContaining("admins")])
    expect(await faultsOf(page)).toEqual([])
    // The page says that it is refused.
    expect(problems.splice(0).every((problem) => problem.includes("403"))).toBe(true)
    await close()
  })
})

/** The reports of moves in the console, and the way in from an empty inventory. */
import { describe, expect, it } from "vitest"
import { runTable } from "../../src/move/state/Runs.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApi } from "../support/Api.ts"
import { accessibility, faultsOf, hasBrowser } from "../support/Browser.ts"
import { named } from "../support/Client.ts"
import { startConsole } from "./Fixture.ts"

let api: Api

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  await makeUser(api, "watcher", { types: ["extras.webhook", "dcim.site"], actions: ["view"] })
  await makeUser(api, "reader", { types: ["dcim.site"], actions: ["view"] })
}, startApi)

const counts = { created: 0, updated: 0, deleted: 0, unchanged: 0, conflicts: 0, refused: 0, changed: 0, homeless: 0 }
const hostile = "<img src=x onerror=alert(1)>"

const keep = (kind: string, report: object) =>
  api.database.sql.query(`insert into ${runTable.name} (kind, report) values ($1, $2::text::jsonb)`, [
    kind,
    JSON.stringify(report)
  ])

describe.skipIf(!hasBrowser)("moves", () => {
  it("are proposed by the home page of an empty inventory, and by their own page", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/")
    expect(await page.textContent("main .alert-line")).toContain("rackwire move postgresql://")
    await page.goto("/system/moves/")
    expect(await page.textContent("main")).toContain("--dry-run")
    await api.make("dcim/sites", named("Oslo"))
    await page.goto("/")
    expect(await page.locator("text=The inventory is empty").count()).toBe(0)
    await close()
  })

  it("are shown with their numbers, conflicts and refusals, the last one first", async () => {
    await keep("move", {
      ...{
        release: "3.5",
        isDryRun: false,
        millis: 1400,
        tables: [{ table: "plugin_thing", rows: 3 }],
        unreadable: []
      },
      types: [
        { ...counts, type: "dcim.site", table: "dcim_site", rows: 24, created: 22, conflicts: 1, refused: 1 },
        { ...counts, type: "dcim.rack", table: "dcim_rack", rows: 9, unchanged: 9 }
      ],
      examples: [`  dcim_site 9: ${hostile}`]
    })
    await keep("verify", {
      release: "3.5",
      types: [{ type: "dcim.site", rows: 24, equal: 23, here: 0, there: 0, both: 0, wrong: 1 }]
    })
    const { page, close } = await loggedIn()
    await page.goto("/system/moves/")
    expect(await page.locator("main h2").allTextContents()).toEqual([
      "Comparison with NetBox 3.5",
      "Move with NetBox 3.5"
    ])
    const [comparison, move] = await page.locator("main section").allTextContents()
    expect(comparison).toContain("1 object differs, though no side was changed since the last move.")
    expect(move).toContain("22 objects were written.")
    expect(
      await page.locator("main section").nth(1).locator("tbody tr").first().locator("td").allTextContents()
    ).toEqual(["24", "22", "1", "1", "0", "0"])
    await page.click("text=Details")
    expect(await page.textContent("main pre")).toContain(hostile)
    expect(await faultsOf(page)).toEqual([])
    await close()
  })

  it("show values of rows to superusers alone, and propose nothing to others", async () => {
    const { page, close } = await loggedInAs("watcher")
    await page.goto("/system/moves/")
    expect(await page.textContent("main")).toContain("22 objects were written.")
    expect(await page.content()).not.toContain("onerror")
    await api.database.sql.query("delete from dcim_site")
    await page.goto("/")
    expect(await page.locator("text=The inventory is empty").count()).toBe(0)
    await close()
  })

  it("are for readers who may see the state of the service", async () => {
    const { page, problems, close } = await loggedInAs("reader")
    const reply = await page.goto("/system/moves/")
    expect(reply?.status()).toBe(403)
    problems.length = 0
    await close()
  })

  it("have changes of NetBox, which no webhook has seen", async () => {
    await api.database.superuser.query(`
      insert into extras_objectchange
             (id, time, user_name, request_id, action, changed_object_type, changed_object_id, object_repr, position, idx,
              request, message, data, prechange_data, postchange_data)
      values (900, now(), 'ada', gen_random_uuid(), 'update', 'dcim.site', 1, 'Oslo', -4503599627370489, 0, 'null', '',
              'null', '{"status": "planned"}', '{"status": "active"}')`)
    const { page, close } = await loggedIn()
    await page.goto("/extras/object-changes/900/")
    const text = await page.textContent("main")
    expect(text).toContain("it was made in NetBox")
    expect(text).toContain("Planned")
    expect(text).not.toContain("Deliveries")
    await page.goto("/logging/journeys/")
    expect(await page.locator("main td:has-text('ada')").count()).toBe(0)
    await page.goto("/extras/object-changes/")
    expect(await page.locator("main td:has-text('ada')").count()).toBeGreaterThan(0)
    expect(await accessibility(page)).toEqual([])
    await close()
  })
})

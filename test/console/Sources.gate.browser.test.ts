/** Sources in a real browser, of a service whose menu leaves the inventory out. */
import { describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { faultsOf, hasBrowser, sideways } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { thorough, thoroughly } from "../support/Seed.ts"

const reason = `source headquarters: <img src=x onerror=alert(1)> rows between 5 and 9 were deleted by retention`
const secret = "not-to-be-shown"

let api: Api

const makeSource = async (name: string, fields: Json = {}): Promise<number> => {
  const { status, json } = await api.call<Json>("POST", "/api/extras/sources/", {
    ...{ name, database_url: `postgresql://reader:${secret}@127.0.0.1/netbox`, api_url: "https://netbox.example.com" },
    ...{ api_token: secret, ...fields }
  })
  if (status !== 201) throw new Error(JSON.stringify(json))
  return Number(json["id"])
}

/** Writes the progress of a process that reads the source. */
const setReading = (id: number, retainedBytes: number, silence = "0 s") =>
  api.database.sql.query(
    `with noted as (
       update extras_source set status = 'reading', object_types = '{dcim.site}' where id = $1)
     insert into rackwire_source (source_id, generation, holder, confirmed_lsn, lag_bytes, retained_bytes,
                                  last_change_id, last_change_at, read_at, events)
     values ($1, 1, 'collector-1:4711', '16/B374D848', 1536, $2, 87123, '2026-11-29T02:00:00Z', now() - $3::interval, 1234)
     on conflict (source_id) do update set retained_bytes = excluded.retained_bytes, read_at = excluded.read_at`,
    [id, retainedBytes, silence]
  )

// No process reads the sources: they stay as the test writes them.
const { loggedIn } = startConsole(
  (started) => {
    api = started
  },
  () => startApiAlone({ INVENTORY: "off" })
)

const megabyte = 1024 * 1024

describe.skipIf(!hasBrowser)("sources", () => {
  thorough("are explained where there are none, with the command that attaches one", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/extras/sources/")
    expect(await page.locator(".empty").textContent()).toMatch(
      /reads its change table.*npx rackwire attach postgresql:/s
    )
    expect(await faultsOf(page)).toEqual([])
    await page.goto("/extras/sources/?name=nothing")
    expect(await page.locator(".empty").textContent()).not.toContain("rackwire attach")
    await close()
  })

  it("show their state, slot, retained WAL against the limit, last change and gaps", async () => {
    const id = await makeSource("headquarters", { wal_limit: 1000, slot: "rackwire_hq" })
    await setReading(id, 250 * megabyte)
    await api.database.sql.query(
      `insert into rackwire_gap (cause, reason, object_types, since, until, from_position, to_position)
       values ('source', $1, array[$2 || ':dcim.site'], '2026-11-29T01:00:00Z', '2026-11-29T01:30:00Z', 1, 1)`,
      [reason, `${id}`]
    )
    const { page, close } = await loggedIn()
    await page.goto(`/extras/sources/${id}/`)
    const text = async (part: string) => (await page.locator(`#${part}`).textContent())!
    for (const part of [
      "Reading its changes.",
      "collector-1:4711",
      "rackwire_hq",
      "16/B374D848",
      "1.5 kB",
      "87123",
      "1,234"
    ])
      expect(await text("reading")).toContain(part)
    expect(await page.locator("#reading .meter").getAttribute("aria-label")).toBe("250 MB of 1000 MB (WAL limit)")
    expect(await page.locator("#reading .m-bad").count()).toBe(0)
    expect(await text("gaps")).toContain(reason)
    expect(await page.locator("#gaps a").getAttribute("href")).toBe("/system/capture/")
    await page.goto("/system/capture/")
    // Changes that NetBox lost are not in rows of the inventory.
    expect(await text("gaps")).toMatch(/1 object type of headquarters: dcim\.site/)
    expect(await text("gaps")).not.toContain("replay --gap")
    await page.goto(`/extras/sources/${id}/`)
    for (const part of ["shell", "plain SQL", "bulk_update()"]) expect(await text("unseen")).toContain(part)
    expect(await page.content()).not.toContain(secret)
    expect(await faultsOf(page)).toEqual([])
    await close()
  })

  it("say that the slot is near its limit, and that no process reads", async () => {
    const id = await makeSource("branch", { wal_limit: 100 })
    const { page, close } = await loggedIn()
    await page.goto(`/extras/sources/${id}/`)
    expect(await page.locator("#reading").textContent()).toContain("Waiting: no process has begun to read it.")
    expect(await page.locator("#gaps").textContent()).toContain("No recorded change was lost.")
    await setReading(id, 90 * megabyte, "1 hour")
    await page.reload()
    expect(await page.locator("#reading").textContent()).toMatch(/No process has read it for 1 h.*the slot is dropped/s)
    expect(await page.locator("#reading .m-bad").count()).toBe(1)
    await page.goto("/extras/sources/?name=branch")
    expect((await page.locator("#objects tbody tr").innerText()).replaceAll(/\s+/g, " ")).toMatch(
      /branch No process has read it for 1 h.* 1\.5 kB 90 MB 2026-11-29 02:00:00 UTC 1,234/
    )
    expect(await faultsOf(page)).toEqual([])
    await close()
  })

  thorough("have their state before their attributes, on narrow screens too, and follow it", async () => {
    const id = await makeSource("followed", { wal_limit: 100 })
    await setReading(id, 10 * megabyte)
    const { page, close } = await loggedIn()
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`/extras/sources/${id}/`)
      const bottomOf = async (part: string) => {
        const { y, height } = (await page.locator(part).boundingBox())!
        return y + height
      }
      const { y: attributes } = (await page.locator("#attributes").boundingBox())!
      for (const part of ["#reading", "#gaps", "#unseen"]) expect(await bottomOf(part)).toBeLessThan(attributes)
      expect(await sideways(page)).toEqual([])
    }
    const label = () => page.locator("#reading .meter").getAttribute("aria-label")
    expect(await label()).toBe("10 MB of 100 MB (WAL limit)")
    await setReading(id, 95 * megabyte)
    await eventually("the page shows what is retained now", async () => (await label())!.startsWith("95 MB"))
    await api.database.sql.query(
      "update extras_source set status = 'failing', status_note = 'slot lost' where id = $1",
      [id]
    )
    const shows = async (part: string, text: string) => (await page.locator(part).textContent())!.includes(text)
    await eventually("the page shows that it fails", () => shows("#reading", "Failing: its changes are not read."))
    await eventually("the attributes agree", () => shows("#own", "slot lost"))
    await close()
  })

  it("that are polled have no slot, and those that are disabled say so", async () => {
    const id = await makeSource("polled", { mode: "poll", enabled: false })
    await setReading(id, 0)
    const { page, close } = await loggedIn()
    await page.goto(`/extras/sources/${id}/`)
    expect(await page.locator("#reading").textContent()).toContain("Disabled: its changes are not read.")
    expect(await page.locator("#reading").textContent()).not.toMatch(/Slot|LSN|WAL \(/)
    await close()
  })
})

thoroughly.skipIf(!hasBrowser)("INVENTORY=off", () => {
  it("leaves the menu, the home page and the first steps without the inventory, whose pages stay", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/")
    const groups = await page.locator(".side-nav summary").allTextContents()
    expect(groups.map((group) => group.trim())).toEqual(["Customization", "Logging", "System", "Admin"])
    const tiles = await page.locator(".counts h2").allTextContents()
    expect(tiles).toEqual(["Customization", "Logging", "Admin"])
    const main = (await page.locator("main").textContent())!
    expect(main).toContain("Attach a NetBox")
    expect(main).not.toMatch(/Sites|inventory/)
    expect(await faultsOf(page)).toEqual([])
    await page.goto("/dcim/sites/")
    expect(await page.locator("h1").textContent()).toBe("Sites")
    await close()
  })
})

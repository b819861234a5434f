/** System > Capture and System > Status in a real browser, and the same in the API. */
import { afterAll, describe, expect, it } from "vitest"
import { options } from "../../src/Config.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, environmentOf } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Service, startService } from "../support/Service.ts"
import { faultsOf, hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { thoroughly } from "../support/Seed.ts"

const reason = `<img src=x onerror=alert(1)> was left out`

let api: Api
let gap: number
let standby: Service | undefined

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  const [row] = await api.database.sql.query<{ readonly id: number }>(
    `insert into rackwire_gap (cause, reason, object_types, since, until, from_position, to_position)
     values ('publication', $1, array['dcim.site'], now() - interval '2 hours', now(), 1, 2) returning id::int as id`,
    [reason]
  )
  gap = row!.id
  await api.database.sql.query(
    `insert into rackwire_set_aside (position, idx, object_type, object_id, kind, reason, committed)
     values (1, 1, 'dcim.site', '5', 'updated', $1, now())`,
    [reason]
  )
  await makeUser(api, "watcher", { types: ["extras.webhook"], actions: ["view"] })
  standby = await startService(environmentOf(api.database), { roles: ["capture"] })
  // It tells of itself once it has seen that another process reads.
  await eventually("a standby", async () => ((await capture())["standbys"] as ReadonlyArray<Json>).length === 1)
})

afterAll(() => standby?.stop())

const capture = async () => (await api.call<Json>("GET", "/api/core/capture/")).json

thoroughly.skipIf(!hasBrowser)("Capture", () => {
  it("shows the slot, the publication, who reads, and the gaps, one of which is acknowledged", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/system/capture/")
    const shown = await capture()
    const slot = shown["slot"] as Json
    const text = async (id: string) => (await page.locator(`#${id}`).textContent())!
    for (const part of [slot["name"], "pgoutput", "Yes, a process reads it", "max_slot_wal_keep_size"])
      expect(await text("slot")).toContain(String(part))
    expect(await text("publication")).toContain("is as it should be")
    const { process, generation } = shown["leader"] as Json
    expect([generation, await text("readers")]).toEqual([1, expect.stringContaining(String(process))])
    expect(await text("readers")).toContain((shown["standbys"] as ReadonlyArray<Json>)[0]!["process"])
    for (const id of ["gaps", "set-aside"]) expect(await text(id)).toContain(reason)
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("button", { name: `Acknowledge gap ${gap}` }).click()
    expect([await text("gaps"), await page.locator(".flash").textContent()]).toEqual([
      expect.stringContaining("acknowledged"),
      expect.stringContaining("The gap is acknowledged.")
    ])
    expect((await capture())["gaps"]).toMatchObject([{ id: gap, acknowledged: expect.any(String) }])
    const again = await api.call<Json>("POST", `/api/core/capture/gaps/${gap}/acknowledge/`)
    expect([again.status, again.json["detail"]]).toEqual([409, expect.stringContaining(`no gap ${gap}`)])
    expect((await api.call("POST", "/api/core/capture/gaps/x/acknowledge/")).status).toBe(409)
    await close()
  })

  it("names what the publication lacks until capture has repaired it", async () => {
    const { sql } = api.database
    await sql.query("update rackwire_gap set acknowledged = now() where acknowledged is null")
    await sql.query("alter publication rackwire drop table dcim_site")
    const { publication } = (await capture()) as {
      readonly publication: { readonly differences: ReadonlyArray<string> }
    }
    // The next heartbeat of capture repairs it.
    expect(["It does not list dcim_site.", undefined]).toContain(publication.differences[0])
    await expect
      .poll(async () => ((await capture())["publication"] as Json)["differences"], { interval: 250 })
      .toEqual([])
    expect((await capture())["gaps"]).toContainEqual(
      expect.objectContaining({ acknowledged: null, cause: "publication" })
    )
  })
})

describe.skipIf(!hasBrowser)("Status", () => {
  it("shows versions, what to do about problems, and every setting but secrets", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/system/status/")
    const { json } = await api.call<Json & { readonly versions: Readonly<Record<string, unknown>> }>(
      "GET",
      "/api/core/service/"
    )
    const versions = (await page.locator("#versions").textContent())!
    expect(versions).toContain(String(json.versions["postgres"]))
    for (const version of [json.versions["redis"], json.versions["node"]])
      expect(versions).toContain((version as [string])[0])
    const settings = (await page.locator("#settings").textContent())!
    for (const { env } of Object.values(options)) expect(settings).toContain(env)
    for (const secret of ["a key for tests", new URL(api.database.databaseUrl).password])
      expect([settings.includes(secret), JSON.stringify(json).includes(secret)]).toEqual([false, false])
    // A process tells of its alarms with each heartbeat.
    await expect
      .poll(async () => {
        await page.reload()
        return await page.locator("#health").textContent()
      })
      .toMatch(/gap.*System > Capture/s)
    expect(await faultsOf(page)).toEqual([])
    await close()
  })

  it("shows no settings, and Capture no changes and no buttons, to readers who may not change webhooks", async () => {
    const { page, close } = await loggedInAs("watcher")
    await page.goto("/system/status/")
    expect([await page.locator("#versions").count(), await page.locator("#settings").count()]).toEqual([1, 0])
    await page.goto("/system/capture/")
    expect(await page.locator("main form").count()).toBe(0)
    expect(await page.locator("#set-aside").textContent()).not.toContain(reason)
    await close()
  })
})

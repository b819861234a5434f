/** Pages of changes, deliveries and webhooks of a source: none fails, and no link of theirs leads to a missing page. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { type Attached, attach } from "../source/Attached.ts"
import { type Json, password } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

let attached: Attached
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => (path === "/failing" ? 500 : 200))
  attached = await attach("4.6")
  const { api, source, writer } = attached
  const hook = (name: string, types: ReadonlyArray<string>, fields: object = {}) =>
    api.make("extras/webhooks", {
      ...{ name, source, content_types: types, payload_url: `${receiver.url}/${name}` },
      ...{ type_create: true, type_update: true, type_delete: true, ...fields }
    })
  const all = ["dcim.site", "netbox_dns.zone"]
  await hook("good", all)
  await hook("failing", all)
  await hook("paused", all, { paused: true })
  await hook("choosy", all, { conditions: { and: [{ attr: "name", value: "nothing" }] } })
  await hook("elsewhere", ["ipam.vlan"])
  const site = { name: "AMS1", slug: "ams1", status: "active" }
  await writer.request(async (request) => {
    await request.create("dcim.site", site)
    await request.create("netbox_dns.zone", { name: "example.com" })
  })
  const count = async (path: string) => Number((await api.call<Json>("GET", path)).json["count"])
  await eventually("all are logged", async () => (await count("/api/extras/deliveries/")) >= 4)
  await eventually("some wait", async () => (await count("/api/extras/deliveries/waiting/")) >= 4)
})

afterAll(async () => {
  await attached.stop()
  await receiver.close()
})

/** Most pages that are read. */
const pagesMax = 250

/** Links of a page to other pages, without their fragments. */
const linksIn = (html: string, path: string): ReadonlyArray<string> =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].flatMap(([, href = ""]) => {
    const url = new URL(href.replaceAll("&amp;", "&"), `http://here${path}`)
    return url.host === "here" ? [url.pathname + url.search] : []
  })

/** Pages about the inventory, files, and the end of the session. */
const isOther = (path: string): boolean =>
  /^\/(?:dcim|ipam|tenancy|circuits|virtualization|wireless|users|user|help|metrics|health|logout|api|static)\b/.test(
    path
  ) || /[?&](?:export|ordering|columns|format|time__\w+)=/.test(path)

const words = (html: string): string => html.replaceAll(/<[^>]*>/g, " ")

it("show the events of a source as those of the inventory", async () => {
  const browser = openBrowser(attached.api.service.url)
  await browser.logIn("admin", password)
  const first = ["/", "/extras/object-changes/", "/extras/deliveries/", "/extras/deliveries/waiting/"]
  const queue = [...first, "/logging/journeys/", "/extras/webhooks/", "/extras/sources/", "/search/?q=AMS1"]
  const seen = new Set(queue)
  const wrong: Array<string> = []
  const shown = new Map<string, string>()
  for (let path = queue.shift(); path !== undefined && shown.size < pagesMax; path = queue.shift()) {
    const response = await browser.fetch(path)
    const text = await response.text()
    shown.set(path, text)
    if (response.status >= 400) wrong.push(`${path}: ${response.status}`)
    for (const link of linksIn(text, path)) {
      if (seen.has(link) || isOther(link)) continue
      seen.add(link)
      queue.push(link)
    }
  }
  expect(wrong).toEqual([])
  for (const path of ["/extras/object-changes/", "/extras/deliveries/", "/extras/deliveries/waiting/"])
    expect([path, /AMS1|site\s+#/.test(words(shown.get(path)!))]).toEqual([path, true])
  expect([...shown.keys()].filter((path) => /^\/extras\/deliveries\/\d+\/$/.test(path)).length).toBeGreaterThan(1)
})

it("are tried with a webhook that is not saved, of a source by its id or name", async () => {
  const { api, source } = attached
  const trial = async (fields: object) =>
    (
      await api.call<Json>("POST", "/api/extras/webhooks/trial/", {
        ...{ content_types: ["netbox_dns.zone"], type_create: true, payload_url: receiver.url, ...fields }
      })
    ).json
  const { json: named } = await api.call<Json>("GET", `/api/extras/sources/${source}/`)
  for (const by of [source, { name: named["name"] }])
    expect(await trial({ source: by })).toMatchObject({
      fires: true,
      request: { body: expect.stringContaining('"display":"example.com"') }
    })
  expect(await trial({ source: 4711 })).toEqual({ source: ["There is no such source that you may view."] })
  expect(await trial({ source, content_types: ["ipam.vlan"] })).toEqual({
    content_types: ["There is no change of these object types that you may view."]
  })
})

it("have no source whose name Postgres cannot keep: the form of a webhook says so", async () => {
  const browser = openBrowser(attached.api.service.url)
  await browser.logIn("admin", password)
  const reply = await browser.submit("/extras/webhooks/add/", { name: "x", source: "a\0b", content_types: "dcim.site" })
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('id="e-source"')])
})

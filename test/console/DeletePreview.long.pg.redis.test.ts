/** The page that deletes an object says before what else is deleted, what loses a reference, and what forbids it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

interface Found {
  readonly results: ReadonlyArray<Json & { readonly id: number }>
}

let api: Api
let admin: string
let usual: Json

beforeAll(async () => {
  api = await startApi()
  admin = await api.newToken()
  const manufacturer = await api.make("dcim/manufacturers", named("Usual"))
  usual = {
    device_type: await api.make("dcim/device-types", { model: "M", slug: "m", manufacturer }),
    device_role: await api.make("dcim/device-roles", named("Usual")),
    site: await api.make("dcim/sites", named("Usual"))
  }
})
afterAll(() => api.stop())

const device = (name: string) => api.make("dcim/devices", { ...usual, name })
const port = (of: number, name: string, fields: Json = {}) =>
  api.make("dcim/interfaces", { device: of, name, type: "1000base-t", ...fields })
const end = (id: number) => [{ object_type: "dcim.interface", object_id: id }]
const found = async (path: string) => (await api.call<Found>("GET", `/api/${path}`)).json.results

const page = async (path: string, form?: Readonly<Record<string, string>>) => {
  const reply = await fetch(`${api.service.url}${path}`, {
    ...{ method: form === undefined ? "GET" : "POST", redirect: "manual" },
    headers: { authorization: `Token ${admin}`, accept: "text/html" },
    ...(form !== undefined && { body: new URLSearchParams(form) })
  })
  const html = await reply.text()
  /** The lines of a card, without the markup, and where they lead. */
  const card = (name: string) => {
    const [, content = ""] = new RegExp(`aria-labelledby="${name}"(.*?)</section>`, "s").exec(html) ?? []
    return [...content.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item = ""]) => ({
      text: item
        .replaceAll(/<[^>]*>/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim(),
      to: /href="([^"]*)"/.exec(item)?.[1]?.replaceAll("&amp;", "&")
    }))
  }
  return { status: reply.status, html, card, text: html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ") }
}

describe("the page that deletes a device", () => {
  it("counts by consequence and type what the deletion then does, each with a link", async () => {
    const [own, peer] = [await device("own"), await device("peer")]
    const parent = await port(own, "eth1")
    await port(own, "eth1.5", { type: "virtual", parent })
    const socket = await port(own, "eth2")
    await api.make("dcim/cables", { a_terminations: end(socket), b_terminations: end(await port(peer, "eth1")) })
    const two = [await port(own, "eth3"), await port(peer, "eth2")]
    const trunk = await api.make("dcim/cables", {
      a_terminations: two.flatMap(end),
      b_terminations: end(await port(peer, "eth3"))
    })
    const inside = await api.make("ipam/ip-addresses", {
      ...{ address: "192.0.2.1/24", assigned_object_type: "dcim.interface", assigned_object_id: parent }
    })
    await api.call("PATCH", `/api/dcim/devices/${own}/`, { primary_ip4: inside })
    const outside = await api.make("ipam/ip-addresses", { address: "198.51.100.1/24", nat_inside: inside })
    const board = await api.make("dcim/inventory-items", { device: own, name: "board" })
    await api.make("dcim/inventory-items", { device: own, name: "optic", parent: board })
    await api.make("extras/journal-entries", {
      ...{ assigned_object_type: "dcim.device", assigned_object_id: own, comments: "It hums." }
    })
    const before = await page(`/dcim/devices/${own}/delete/`)
    const gone = before.card("effect-delete")
    expect(gone.map(({ text }) => text).toSorted()).toEqual([
      "1 IP address by assigned object",
      "1 cable by A side",
      "1 journal entry by assigned object",
      "2 inventory items by device",
      "4 interfaces by device"
    ])
    const [freed] = await found(`dcim/interfaces/?device_id=${peer}&name=eth1`)
    expect(before.card("effect-clear")).toEqual([
      { text: "1 cable by A side", to: `/dcim/cables/?id=${trunk}` },
      { text: "1 interface by cable", to: `/dcim/interfaces/?id=${freed!.id}` },
      { text: "1 IP address by NAT inside", to: `/ipam/ip-addresses/?id=${outside}` }
    ])
    expect(before.card("effect-forbid")).toEqual([])
    for (const { to } of [...gone, ...before.card("effect-clear")]) {
      expect([to, (await page(to!)).status]).toEqual([to, 200])
    }
    expect((await page(gone.find(({ text }) => text.endsWith("by device"))!.to!)).text).toContain("eth1.5")
    expect((await api.call("DELETE", `/api/dcim/devices/${own}/`)).status).toBe(204)
    await caughtUp(api.database)
    const [logged] = await found(
      `extras/object-changes/?changed_object_type=dcim.device&changed_object_id=${own}&action=delete`
    )
    const changes = await found(`extras/object-changes/?request_id=${String(logged!["request_id"])}&limit=100`)
    const of = (action: string) =>
      Object.fromEntries(
        [
          ...Map.groupBy(
            changes,
            (each) => `${String((each["action"] as Json)["value"])} ${String(each["changed_object_type"])}`
          )
        ]
          .filter(([key]) => key.startsWith(action))
          .map(([key, all]) => [key, all.length])
      )
    expect(of("delete")).toEqual({
      ...{
        "delete dcim.device": 1,
        "delete dcim.interface": 4,
        "delete dcim.inventoryitem": 2,
        "delete dcim.cable": 1
      },
      ...{ "delete ipam.ipaddress": 1, "delete extras.journalentry": 1 }
    })
    expect(of("update")).toMatchObject({ "update dcim.cable": 1, "update ipam.ipaddress": 1 })
  })
})

describe("the page that deletes a site", () => {
  it("names what forbids it before anybody deletes", async () => {
    const site = await api.make("dcim/sites", named("Kept"))
    const racks = [
      await api.make("dcim/racks", { name: "R1", site }),
      await api.make("dcim/racks", { name: "R2", site })
    ]
    const { card } = await page(`/dcim/sites/${site}/delete/`)
    expect(card("effect-forbid")).toEqual([
      { text: "2 racks by site", to: `/dcim/racks/?id=${racks[0]}&id=${racks[1]}` }
    ])
    expect((await page(`/dcim/sites/${site}/delete/`, { confirmed: "1" })).status).toBe(409)
  })
})

describe("the page that deletes a webhook", () => {
  it("says how many deliveries wait for it", async () => {
    const [hook, idle] = await Promise.all(
      ["busy", "idle"].map((name) =>
        api.make("extras/webhooks", {
          ...{ name, content_types: [name === "busy" ? "extras.tag" : "dcim.region"], type_create: true },
          ...{ paused: true, payload_url: "https://receiver.example/" }
        })
      )
    )
    await api.call("POST", "/api/extras/tags/", ["Red", "Green", "Blue"].map(named))
    await eventually("they wait", async () => {
      const { json } = await api.call<Json>("GET", `/api/extras/webhooks/${hook}/health/`)
      return json["waiting"] === 3
    })
    const busy = await page(`/extras/webhooks/${hook}/delete/`)
    expect(busy.text).toContain("3 deliveries wait for it or are under way. They will not be sent.")
    expect(busy.html).toContain(`/extras/deliveries/waiting/?webhook_id=${hook}`)
    expect((await page(`/extras/webhooks/${idle}/delete/`)).text).not.toContain("wait for it")
    const both = await page("/extras/webhooks/delete/", { id: `${hook}` })
    expect(both.text).toContain("3 deliveries wait for it or are under way. They will not be sent.")
  })
})

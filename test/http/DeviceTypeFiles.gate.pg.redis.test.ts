/** Device types with images in files, and back from the change log: images are no part of either. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { pixel } from "../support/AnyObject.ts"
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type Json, type List, named } from "../support/Client.ts"

let api: Api
let token: string
let manufacturer: number

const path = "/api/dcim/device-types/"

beforeAll(async () => {
  api = await startApi()
  token = await api.newToken()
  manufacturer = await api.make("dcim/manufacturers", named("Acme"))
})
afterAll(() => api.stop())

const create = async (model: string) => {
  const body = { manufacturer, model, slug: model, front_image: pixel }
  return (await api.call<Json & { readonly id: number }>("POST", path, body)).json
}
const shown = async (id: number) => (await api.call<Json>("GET", `${path}${id}/`)).json
const send = async (to: string, method: string, body?: string | URLSearchParams) => {
  const type = typeof body === "string" ? { "content-type": "application/json" } : {}
  const headers = { authorization: `Token ${token}`, ...type }
  return fetch(api.service.url + to, { method, headers, redirect: "manual", ...(body !== undefined && { body }) })
}
const imported = async (rows: ReadonlyArray<object>, query = "") =>
  (await (await send(`${path}import/?${query}`, "POST", JSON.stringify(rows))).json()) as Json

it("exports have no images, and imports leave those of the inventory as they are", async () => {
  const json = await create("one")
  const rows = (await (await send(`${path}export/?format=json&id=${json.id}`, "GET")).json()) as ReadonlyArray<Json>
  expect(Object.keys(rows[0]!)).not.toContain("front_image")
  const same = { id: json.id, manufacturer: "acme", description: "imported" }
  for (const front_image of [json["front_image"], "other.gif", pixel, null, ""])
    expect(await imported([{ ...same, front_image }])).toMatchObject({ updated: 1, errors: [] })
  expect(JSON.stringify(await imported([{ ...same, front_image: "other.gif" }], "dry_run=true"))).toContain(
    "front_image"
  )
  const added = { manufacturer: "acme", model: "two", slug: "two", rear_image: "x.gif" }
  expect(await imported([added])).toMatchObject({ created: 1, errors: [] })
  expect(await shown(json.id)).toMatchObject({
    ...{ description: "imported", front_image: json["front_image"], rear_image: null }
  })
})

it("a device type is restored without its images", async () => {
  const json = await create("three")
  expect((await api.call("DELETE", `${path}${json.id}/`)).status).toBe(204)
  await caughtUp(api.database)
  const query = `?changed_object_type=dcim.devicetype&changed_object_id=${json.id}&action=delete`
  const [logged] = (await api.call<List>("GET", `/api/extras/object-changes/${query}`)).json.results
  const fields = ["manufacturer", "model", "slug", "front_image", "u_height"].map((name): [string, string] => [
    "field",
    name
  ])
  const restored = await send(`/extras/object-changes/${logged!.id}/restore/`, "POST", new URLSearchParams(fields))
  expect(restored.status).toBe(302)
  const [found] = (await api.call<List>("GET", `${path}?model=three`)).json.results
  expect(found).toMatchObject({ front_image: null })
})

it("a change is taken back without the image that it replaced", async () => {
  const json = await create("changed")
  await api.call("PATCH", `${path}${json.id}/`, { description: "later", front_image: null })
  await caughtUp(api.database)
  const query = `?changed_object_type=dcim.devicetype&changed_object_id=${json.id}&action=update`
  const [logged] = (await api.call<List>("GET", `/api/extras/object-changes/${query}`)).json.results
  const page = await send(`/extras/object-changes/${logged!.id}/restore/`, "GET")
  const text = await page.text()
  expect([page.status, /name="field"[^>]*value="front_image"/.test(text)]).toEqual([200, false])
  const fields = new URLSearchParams([
    ["field", "description"],
    ["field", "front_image"]
  ])
  const restored = await send(`/extras/object-changes/${logged!.id}/restore/`, "POST", fields)
  expect(restored.status).toBe(302)
  expect(await shown(json.id)).toMatchObject({ description: "", front_image: null })
})

/** The digits of numbers in JSON fields, on their way from a write to a receiver and back. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

let api: Api
let receiver: Receiver

beforeAll(async () => {
  api = await startApi()
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await api.stop()
})

const long = "50755254975729665"
const text = `{"a": ${long}, "b": [1e400, 0.1234567890123456789]}`
const stored = text.replace("1e400", `1${"0".repeat(400)}`)

const engines = ["jinja", "nunjucks", "liquid"]

it("are kept by reads, writes, events, conditions, templates and files", async () => {
  const site = await api.make("dcim/sites", named("Here"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_role = await api.make("dcim/device-roles", named("Role"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device = await api.make("dcim/devices", { name: "D", site, device_role, device_type })
  const hook = (name: string, fields: Json = {}) =>
    api.make("extras/webhooks", {
      ...{ name, content_types: ["dcim.device"], type_update: true, payload_url: `${receiver.url}/${name}`, ...fields }
    })
  await hook("plain")
  for (const template_engine of engines) {
    await hook(template_engine, { template_engine, body_template: "{{ data.local_context_data.a }}" })
  }
  await api.call("PATCH", `/api/dcim/devices/${device}/`, { serial: "0" })
  // The condition's number is the one that doubles take for the same.
  const near = `{"attr": "local_context_data.a", "value": 50755254975729664}`
  const sql = (statement: string) => api.database.sql.query<{ readonly text: string }>(statement)
  await hook("near")
  await sql(`update extras_webhook set conditions = '${near}' where name = 'near'`)
  await sql(`update dcim_device set local_context_data = '${text}' where id = ${device}`)
  const inTable = async () =>
    (await sql(`select local_context_data::text as text from dcim_device where id = ${device}`))[0]!.text
  expect(await inTable()).toBe(stored)
  const shown = await api.call("GET", `/api/dcim/devices/${device}/`)
  expect(shown.text.replaceAll(/\s/g, "")).toContain(stored.replaceAll(" ", ""))
  const again = await api.call("PATCH", `/api/dcim/devices/${device}/`, { serial: "1" })
  expect(again.text.replaceAll(/\s/g, "")).toContain(stored.replaceAll(" ", ""))
  expect(await inTable()).toBe(stored)
  const body = `{"local_context_data": ${text.replace(long, `${long}1`)}}`
  const written = await api.call("PATCH", `/api/dcim/devices/${device}/`, body)
  expect([written.status, await inTable()]).toEqual([200, stored.replace(long, `${long}1`)])
  const bodiesAt = (path: string) => receiver.received.filter((each) => each.path === path).map(({ body }) => `${body}`)
  // Each webhook gets every change, in no order.
  for (const engine of engines) {
    await receiver.untilAll(() => bodiesAt(`/${engine}`).length === 4)
    expect([engine, ...bodiesAt(`/${engine}`).toSorted()]).toEqual([engine, "", long, long, `${long}1`])
  }
  await receiver.untilAll(() => bodiesAt("/plain").length === 4)
  const last = stored.replace(long, `${long}1`).replaceAll(/\s/g, "")
  expect(bodiesAt("/plain").filter((each) => each.replaceAll(/\s/g, "").includes(last))).toHaveLength(1)
  expect(bodiesAt("/near")).toEqual([])
  const changes = await api.call("GET", "/api/extras/object-changes/?changed_object_type=dcim.device&limit=1")
  expect(changes.text).toContain(`${long}1`)
  for (const format of ["json", "yaml", "csv"]) {
    const file = await api.call("GET", `/api/dcim/devices/export/?format=${format}&references=id`)
    expect([format, file.text]).toEqual([format, expect.stringContaining(`${long}1`)])
    await sql(`update dcim_device set local_context_data = null where id = ${device}`)
    const imported = await api.call("POST", `/api/dcim/devices/import/?format=${format}`, file.text)
    expect([imported.status, imported.text, await inTable()]).toEqual([
      ...[200, expect.stringContaining("1"), stored.replace(long, `${long}1`)]
    ])
  }
})

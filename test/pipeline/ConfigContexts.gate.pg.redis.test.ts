/** `data.config_context` in templates of webhooks: as of the change, and read for the templates that name it. */
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

const bodiesAt = (path: string) => receiver.received.filter((each) => each.path === path).map(({ body }) => `${body}`)

it("is as of the change, also where contexts changed before it was sent", async () => {
  const tag = await api.make("extras/tags", named("Edge"))
  const site = await api.make("dcim/sites", named("Here"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_role = await api.make("dcim/device-roles", named("Role"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const hook = (name: string, fields: Json) =>
    api.make("extras/webhooks", {
      ...{ name, content_types: ["dcim.device", "extras.configcontext"], payload_url: `${receiver.url}/${name}` },
      ...{ type_create: true, type_update: true, type_delete: true, ...fields }
    })
  const body_template = "{{ event }} {{ data.name }} {{ data.config_context|default('none')|tojson }}"
  const batch = { size: 10, seconds: 1 }
  const late = await hook("late", { body_template, paused: true, ordering: "object" })
  await hook("now", { body_template, ordering: "object" })
  await hook("batch", { body_template: "{{ events[0].data.config_context.v }}", batch })
  await hook("plain", {})
  const context = (name: string, fields: Json) =>
    api.make("extras/config-contexts", { name, tags: ["edge"], ...fields })
  const change = (path: string, body: Json) => api.call("PATCH", `/api/${path}/`, body)
  const first = await context("first", { data: { v: 1, a: { x: 1 } } })
  const gone = await context("gone", { weight: 2000, data: { v: 2 } })
  const device = await api.make("dcim/devices", { name: "D", site, device_role, device_type, tags: [tag] })
  await change(`dcim/devices/${device}`, { local_context_data: { a: { y: 2 } } })
  // Until a deletion is logged, its context counts as deleted.
  await receiver.untilAll(() => bodiesAt("/now").filter((body) => / D /.test(body)).length === 2)
  await api.call("DELETE", `/api/extras/config-contexts/${gone}/`)
  await change(`extras/config-contexts/${first}`, { data: { v: 3 } })
  await context("new", { weight: 3000, data: { n: 1 } })
  await change(`dcim/devices/${device}`, { tags: [] })
  await api.call("DELETE", `/api/dcim/devices/${device}/`)
  await receiver.untilAll(() => bodiesAt("/plain").length === 9)
  const ofDevice = (bodies: ReadonlyArray<string>) => bodies.filter((body) => / D /.test(body))
  const expected = [
    'created D {"v": 2, "a": {"x": 1}}',
    'updated D {"v": 2, "a": {"x": 1, "y": 2}}',
    'updated D {"a": {"y": 2}}',
    'deleted D {"a": {"y": 2}}'
  ]
  await api.call("POST", `/api/extras/webhooks/${late}/resume/`, { keep: "all" })
  await receiver.untilAll(() => bodiesAt("/late").length === 9)
  const parsed = (bodies: ReadonlyArray<string>) =>
    bodies.map((body) => [body.split(" ")[0], JSON.parse(body.replace(/^\w+ D /, "")) as unknown])
  expect(parsed(ofDevice(bodiesAt("/late")))).toEqual(parsed(expected))
  await receiver.untilAll(() => bodiesAt("/now").length === 9)
  expect(parsed(ofDevice(bodiesAt("/now")))).toEqual(parsed(expected))
  // One event for each change of a context, and none of its device; the default body stays NetBox's.
  const plain = bodiesAt("/plain").map((body) => JSON.parse(body) as Json)
  const models = plain.map((each) => each["model"])
  expect(models.filter((model) => model === "configcontext")).toHaveLength(5)
  expect(models.filter((model) => model === "device")).toHaveLength(4)
  expect(plain.some((each) => "config_context" in (each["data"] as Json))).toBe(false)
  await receiver.untilAll(() => bodiesAt("/batch").length > 0)
})

/** The modules of the Ansible collection for extras: their requests, one module after the other. */
import { afterAll, beforeAll, it } from "vitest"
import { type Api, sharedApi } from "../../support/Api.ts"
import { type ModuleCase, expectModule } from "./Module.ts"
import { type World, by, makeWorld } from "./World.ts"

let api: Api
let token: string
let world: World

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
  world = await makeWorld(api)
})
afterAll(() => api.stop())

const modules: ReadonlyArray<ModuleCase> = [
  {
    module: "netbox_tag",
    path: "extras/tags",
    find: () => ({ slug: "second-tag" }),
    create: () => ({ name: "Second Tag", slug: "second-tag" }),
    change: () => ({ color: "00ffff", description: "changed" })
  },
  {
    module: "netbox_custom_field",
    path: "extras/custom-fields",
    find: () => ({ name: "A_CustomField" }),
    create: () => ({
      name: "A_CustomField",
      type: "text",
      content_types: ["dcim.device", "virtualization.virtualmachine"]
    }),
    change: () => ({ required: true, description: "changed", weight: 200 })
  },
  {
    module: "netbox_webhook",
    path: "extras/webhooks",
    find: () => ({ name: "Example Webhook" }),
    create: () => ({
      name: "Example Webhook",
      type_create: true,
      payload_url: "https://payload.url/",
      content_types: ["dcim.device"]
    }),
    change: () => ({ enabled: false, body_template: "{{ data }}" })
  },
  {
    module: "netbox_journal_entry",
    path: "extras/journal-entries",
    names: [by.device],
    find: ({ device }) => ({ assigned_object_type: "dcim.device", assigned_object_id: device }),
    create: ({ device }) => ({ assigned_object_type: "dcim.device", assigned_object_id: device, comments: "written" }),
    change: () => ({ kind: "warning" })
  }
]

it.each(modules)("$module", (each) => expectModule(api, token, world, each))

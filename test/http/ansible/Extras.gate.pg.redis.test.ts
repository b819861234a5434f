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
    module: "netbox_config_context",
    path: "extras/config-contexts",
    names: [by.site],
    find: () => ({ name: "test_context" }),
    create: ({ site }) => ({ name: "test_context", data: { testkey: "testvalue" }, sites: [site] }),
    change: () => ({ weight: 2000, is_active: false, data: { testkey: { second: 1 } } })
  },
  {
    module: "netbox_custom_link",
    path: "extras/custom-links",
    find: () => ({ name: "Custom Link" }),
    create: () => ({
      ...{ name: "Custom Link", content_types: ["dcim.device"] },
      ...{ link_text: "Open link", link_url: "https://example.com/{{ object.name }}" }
    }),
    change: () => ({ new_window: true, weight: 2000 })
  },
  {
    module: "netbox_export_template",
    path: "extras/export-templates",
    find: () => ({ name: "My Template" }),
    create: () => ({
      ...{ name: "My Template", content_types: ["dcim.device"] },
      template_code: "{% for each in queryset %}{{ each.name }}{% endfor %}"
    }),
    change: () => ({ mime_type: "text/plain", file_extension: "cfg", as_attachment: false })
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

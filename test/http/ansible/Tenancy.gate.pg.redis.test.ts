/** The modules of the Ansible collection for tenancy: their requests, one module after the other. */
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
    module: "netbox_tenant",
    path: "tenancy/tenants",
    names: [by.tag],
    find: () => ({ slug: "tenant-abc" }),
    create: ({ tag }) => ({ name: "Tenant ABC", slug: "tenant-abc", tags: [tag] }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_tenant_group",
    path: "tenancy/tenant-groups",
    find: () => ({ slug: "tenant-group-abc" }),
    create: () => ({ name: "Tenant Group ABC", slug: "tenant-group-abc" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_contact_group",
    path: "tenancy/contact-groups",
    find: () => ({ name: "Contact Group ABC" }),
    create: () => ({ name: "Contact Group ABC", slug: "contact-group-abc" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_contact_role",
    path: "tenancy/contact-roles",
    find: () => ({ name: "Contact Role ABC" }),
    create: () => ({ name: "Contact Role ABC", slug: "contact-role-abc" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_contact",
    path: "tenancy/contacts",
    names: [by.contactGroup],
    find: ({ contactGroup }) => ({ name: "Contact ABC", group_id: contactGroup }),
    create: ({ contactGroup }) => ({ name: "Contact ABC", group: contactGroup, title: "Mr" }),
    change: () => ({ email: "contact@example.com", phone: "1-603" })
  }
]

it.each(modules)("$module", (each) => expectModule(api, token, world, each))

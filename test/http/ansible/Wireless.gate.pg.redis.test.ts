/** The modules of the Ansible collection for wireless: their requests, one module after the other. */
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
    module: "netbox_wireless_lan_group",
    path: "wireless/wireless-lan-groups",
    find: () => ({ name: "Second LANs" }),
    create: () => ({ name: "Second LANs", slug: "second-lans" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_wireless_lan",
    path: "wireless/wireless-lans",
    names: [by.lanGroup, ["ipam/vlans", { name: "Wireless" }, "vlan"]],
    find: () => ({ ssid: "Wireless Network One" }),
    create: ({ lanGroup, vlan }) => ({ ssid: "Wireless Network One", group: lanGroup, vlan }),
    change: () => ({ auth_type: "wpa-enterprise", auth_cipher: "aes", auth_psk: "psk123456" })
  },
  {
    module: "netbox_wireless_link",
    path: "wireless/wireless-links",
    names: [
      ["dcim/interfaces", { name: "wlink1", device: "test100" }, "radio"],
      ["dcim/interfaces", { name: "wlink1", device: "test101" }, "farRadio"]
    ],
    find: ({ radio, farRadio }) => ({ interface_a: radio, interface_b: farRadio }),
    create: ({ radio, farRadio }) => ({ interface_a: radio, interface_b: farRadio, ssid: "Wireless Network One" }),
    change: () => ({ status: "planned", description: "changed" })
  }
]

it.each(modules)("$module", (each) => expectModule(api, token, world, each))

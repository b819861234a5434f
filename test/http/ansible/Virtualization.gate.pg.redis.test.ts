/** The modules of the Ansible collection for virtualization: their requests, one module after the other. */
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
    module: "netbox_cluster_type",
    path: "virtualization/cluster-types",
    find: () => ({ slug: "second-type" }),
    create: () => ({ name: "Second Type", slug: "second-type" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_cluster_group",
    path: "virtualization/cluster-groups",
    find: () => ({ slug: "second-group" }),
    create: () => ({ name: "Second Group", slug: "second-group" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_cluster",
    path: "virtualization/clusters",
    names: [by.clusterType, by.clusterGroup, by.site, by.tenant],
    find: ({ clusterType }) => ({ name: "Second Cluster", type_id: clusterType }),
    create: ({ clusterType, clusterGroup, site }) => ({
      name: "Second Cluster",
      type: clusterType,
      group: clusterGroup,
      site
    }),
    change: ({ tenant }) => ({ comments: "changed", tenant })
  },
  {
    module: "netbox_virtual_machine",
    path: "virtualization/virtual-machines",
    names: [by.cluster, by.role, by.tag],
    find: ({ cluster }) => ({ name: "second-vm", cluster_id: cluster }),
    create: ({ cluster, role, tag }) => ({ name: "second-vm", cluster, role, vcpus: 8, memory: 2048, tags: [tag] }),
    change: () => ({ status: "staged", comments: "changed" })
  },
  {
    module: "netbox_vm_interface",
    path: "virtualization/interfaces",
    names: [by.machine, ["ipam/vlans", { name: "Wireless", site: "test-site" }, "vlan"]],
    find: ({ machine }) => ({ name: "Eth10", virtual_machine_id: machine }),
    create: ({ machine }) => ({ name: "Eth10", virtual_machine: machine, enabled: false }),
    change: ({ vlan }) => ({ mtu: 1600, mode: "access", untagged_vlan: vlan })
  }
]

it.each(modules)("$module", (each) => expectModule(api, token, world, each))

/** The modules of the Ansible collection for circuits: their requests, one module after the other. */
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
    module: "netbox_circuit_type",
    path: "circuits/circuit-types",
    find: () => ({ slug: "second-type" }),
    create: () => ({ name: "Second Type", slug: "second-type" }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_provider",
    path: "circuits/providers",
    names: [by.tag],
    find: () => ({ slug: "second-provider" }),
    create: ({ tag }) => ({ name: "Second Provider", slug: "second-provider", tags: [tag] }),
    change: () => ({ comments: "changed" })
  },
  {
    module: "netbox_provider_network",
    path: "circuits/provider-networks",
    names: [by.provider],
    find: () => ({ name: "Provider Network B" }),
    create: ({ provider }) => ({ name: "Provider Network B", provider }),
    change: () => ({ description: "changed" })
  },
  {
    module: "netbox_circuit",
    path: "circuits/circuits",
    names: [by.provider, by.circuitType, by.tenant],
    find: () => ({ cid: "Second Circuit" }),
    create: ({ provider, circuitType }) => ({ cid: "Second Circuit", provider, type: circuitType }),
    change: ({ tenant }) => ({ status: "planned", commit_rate: 10_000, install_date: "2018-11-01", tenant })
  },
  {
    module: "netbox_circuit_termination",
    path: "circuits/circuit-terminations",
    names: [by.circuit, by.site],
    find: ({ circuit }) => ({ circuit_id: circuit, term_side: "A" }),
    create: ({ circuit, site }) => ({ circuit, term_side: "A", site, port_speed: 10_000 }),
    change: () => ({ upstream_speed: 1000, xconnect_id: "10X100", pp_info: "PP10-24" })
  },
  {
    module: "netbox_circuit_termination to a network",
    path: "circuits/circuit-terminations",
    names: [by.circuit, by.network],
    find: ({ circuit }) => ({ circuit_id: circuit, term_side: "Z" }),
    create: ({ circuit, network }) => ({ circuit, term_side: "Z", provider_network: network }),
    change: () => ({ description: "changed" })
  }
]

it.each(modules)("$module", (each) => expectModule(api, token, world, each))

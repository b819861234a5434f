/** Circuits by the API: terminations at sites and in networks, accounts, the rules between them, and paths. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { captured } from "../support/CaughtUp.ts"
import { type Json, type List, named } from "../support/Client.ts"

let api: Api
let site: number
let provider: number
let network: number
let type: number
let device: number
let number = 0

const circuit = (fields: Json = {}) =>
  api.make("circuits/circuits", { provider, type, cid: `C${(number += 1)}`, ...fields })
const terminate = (of: number, term_side: string, fields: Json = { site }) =>
  api.make("circuits/circuit-terminations", { circuit: of, term_side, ...fields })
const port = () => api.make("dcim/interfaces", { device, name: `eth${(number += 1)}`, type: "1000base-t" })
const ending = (id: number) => [{ object_type: "circuits.circuittermination", object_id: id }]
const cable = (id: number, termination: number) =>
  api.make("dcim/cables", {
    a_terminations: [{ object_type: "dcim.interface", object_id: id }],
    b_terminations: ending(termination)
  })
const get = async <A = Json>(path: string) => (await api.call<A>("GET", `/api/${path}`)).json
const refused = async (path: string, body: Json) => {
  const { status, json } = await api.call<Json>("POST", `/api/circuits/${path}/`, body)
  return status === 400 ? json : status
}

beforeAll(async () => {
  api = await sharedApi()
  const region = await api.make("dcim/regions", named("North"))
  site = await api.make("dcim/sites", { ...named("Here"), region })
  provider = await api.make("circuits/providers", named("Carrier"))
  network = await api.make("circuits/provider-networks", { provider, name: "Cloud", service_id: "S-1" })
  type = await api.make("circuits/circuit-types", named("Transit"))
  const manufacturer = await api.make("dcim/manufacturers", named("Maker"))
  const device_type = await api.make("dcim/device-types", { manufacturer, model: "M", slug: "m" })
  const device_role = await api.make("dcim/device-roles", named("Role"))
  device = await api.make("dcim/devices", { name: "r1", site, device_type, device_role })
})
afterAll(() => api.stop())

describe("a circuit", () => {
  it("shows its ends, and changes with them", async () => {
    const id = await circuit()
    expect(await get(`circuits/circuits/${id}/`)).toMatchObject({ termination_a: null, termination_z: null })
    const z = await terminate(id, "Z", { provider_network: network, port_speed: 1000, xconnect_id: "X1" })
    const shown = await get(`circuits/circuits/${id}/`)
    expect(shown["termination_z"]).toEqual({
      ...{ id: z, url: expect.stringContaining(`/circuit-terminations/${z}/`) as string },
      ...{
        display: "Termination Z: Cloud",
        site: null,
        provider_network: expect.objectContaining({ id: network }) as Json
      },
      ...{ port_speed: 1000, upstream_speed: null, xconnect_id: "X1", description: "" }
    })
    await api.call("DELETE", `/api/circuits/circuit-terminations/${z}/`)
    expect(await get(`circuits/circuits/${id}/`)).toMatchObject({ termination_z: null })
    await captured(api.database)
    const events = await api.database.sql.query<{ readonly end: unknown }>(
      `select data -> 'termination_z' ->> 'id' as end from extras_objectchange
        where changed_object_type = 'circuits.circuit' and changed_object_id = $1 order by id`,
      [id]
    )
    expect(events.map(({ end }) => end)).toEqual([null, `${z}`, null])
  })

  it("has an account of its provider", async () => {
    const other = await api.make("circuits/providers", named("Other carrier"))
    const account = await api.make("circuits/provider-accounts", { provider: other, account: "77", name: "Lab" })
    expect(await get(`circuits/provider-accounts/${account}/`)).toMatchObject({ display: "77 (Lab)" })
    expect(await get(`circuits/providers/${other}/`)).toMatchObject({ accounts: [{ id: account, account: "77" }] })
    expect(await refused("circuits", { provider, type, cid: "W", provider_account: account })).toEqual({
      provider_account: ["The assigned account must belong to the assigned provider."]
    })
    expect(await refused("provider-accounts", { provider: other, account: "78", name: "Lab" })).toHaveProperty("name")
    expect(await refused("provider-accounts", { provider: other, account: "77" })).toHaveProperty("__all__")
    // Accounts without a name are no rivals.
    for (const each of ["80", "81"]) await api.make("circuits/provider-accounts", { provider: other, account: each })
    await circuit({ provider: other, provider_account: account, cid: "OK" })
    const found = await get<List>(`circuits/circuits/?provider_account_id=${account}`)
    expect(found.count).toBe(1)
  })
})

describe("a termination", () => {
  it("is at a site or in a network, once for each side", async () => {
    const id = await circuit()
    const body = { circuit: id, term_side: "A" }
    expect(await refused("circuit-terminations", body)).toEqual({
      __all__: ["A circuit termination must attach to either a site or a provider network."]
    })
    expect(await refused("circuit-terminations", { ...body, site, provider_network: network })).toEqual({
      __all__: ["A circuit termination cannot attach to both a site and a provider network."]
    })
    await terminate(id, "A")
    expect(await refused("circuit-terminations", { ...body, site })).toHaveProperty("__all__")
  })

  it("in a network has no cable, and with a cable moves into none", async () => {
    const id = await circuit()
    const [a, z] = [await terminate(id, "A"), await terminate(id, "Z", { provider_network: network })]
    const message = "Circuit terminations attached to a provider network may not be cabled."
    const { status, json } = await api.call<Json>("POST", "/api/dcim/cables/", {
      a_terminations: [{ object_type: "dcim.interface", object_id: await port() }],
      b_terminations: ending(z)
    })
    expect([status, json]).toEqual([400, { b_terminations: [message] }])
    await cable(await port(), a)
    const moved = await api.call<Json>("PATCH", `/api/circuits/circuit-terminations/${a}/`, {
      ...{ site: null, provider_network: network }
    })
    expect([moved.status, moved.json]).toEqual([400, { provider_network: [message] }])
  })

  it("is found by its circuit, place and cable", async () => {
    const id = await circuit()
    const [a, z] = [await terminate(id, "A"), await terminate(id, "Z", { provider_network: network })]
    await cable(await port(), a)
    const ids = async (path: string) => (await get<List>(`circuits/${path}&limit=0`)).results.map((each) => each.id)
    expect(await ids(`circuit-terminations/?circuit_id=${id}`)).toEqual([a, z])
    expect(await ids(`circuit-terminations/?circuit_id=${id}&cabled=true&term_side=A&site=here`)).toEqual([a])
    expect(await ids(`circuit-terminations/?provider_network_id=${network}`)).toContain(z)
    for (const query of ["site=here", "region=north", `provider_network_id=${network}`])
      expect(await ids(`circuits/?${query}`)).toContain(id)
    expect(await ids("providers/?region=north")).toContain(provider)
    expect((await get<List>("dcim/cables/?site=here")).count).toBeGreaterThan(0)
  })
})

describe("a path", () => {
  it("leads through a circuit, to its site, or into its network", async () => {
    const id = await circuit()
    const [near, far] = [await port(), await port()]
    const a = await terminate(id, "A")
    const first = await cable(near, a)
    const z = await terminate(id, "Z")
    const trace = async () => {
      const steps = await get<ReadonlyArray<ReadonlyArray<unknown>>>(`dcim/interfaces/${near}/trace/`)
      return steps.map((step) => step.map((each) => [each].flat().map((one) => (one as Json)["id"])))
    }
    expect(await trace()).toEqual([
      [[near], [first], [a]],
      [[z], [], [site]]
    ])
    expect(await get(`dcim/interfaces/${near}/`)).toMatchObject({
      ...{ connected_endpoints: null, connected_endpoints_reachable: false, link_peers: [{ id: a, term_side: "A" }] }
    })
    const last = await cable(far, z)
    expect(await trace()).toEqual([
      [[near], [first], [a]],
      [[z], [last], [far]]
    ])
    expect(await get(`dcim/interfaces/${near}/`)).toMatchObject({
      ...{
        connected_endpoints: [{ id: far }],
        connected_endpoints_type: "dcim.interface",
        connected_endpoints_reachable: true
      }
    })
    const paths = await get<ReadonlyArray<Json>>(`circuits/circuit-terminations/${z}/paths/`)
    expect(paths.map((each) => [each["is_complete"], (each["path"] as ReadonlyArray<unknown>).length])).toEqual([
      [true, 6],
      [true, 6]
    ])
    await api.call("DELETE", `/api/dcim/cables/${last}/`)
    await api.call("PATCH", `/api/circuits/circuit-terminations/${z}/`, { site: null, provider_network: network })
    expect(await get(`dcim/interfaces/${near}/`)).toMatchObject({
      ...{ connected_endpoints: [{ id: network, name: "Cloud" }], connected_endpoints_type: "circuits.providernetwork" }
    })
    const [inside] = await get<ReadonlyArray<Json>>(`circuits/circuit-terminations/${z}/paths/`)
    expect(inside).toMatchObject({
      is_complete: true,
      path: [[{ id: near }], [{ id: first }], [{ id: a }], [{ id: z }], [{ id: network }]]
    })
    const picture = await api.call("GET", `/api/dcim/interfaces/${near}/trace/?render=svg`)
    expect([picture.status, picture.text]).toEqual([200, expect.stringContaining(">Cloud<") as string])
  })
})

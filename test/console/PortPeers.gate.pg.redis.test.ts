/** Ports whose paths lead over a circuit or a wireless link, on the pages of their devices and on their own. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"

let api: Api
let textOf: (path: string) => Promise<string>

beforeAll(async () => {
  api = await sharedApi()
  const browser = openBrowser(api.service.url)
  await browser.logIn()
  textOf = async (path) => {
    const reply = await browser.fetch(path, { headers: { accept: "text/html" } })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status}`)
    return (await reply.text()).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")
  }
})
afterAll(() => api.stop())

const ports = async (type: string) => {
  const word = type.replace(".", "-")
  const site = await api.make("dcim/sites", named(`Place of ${word}`))
  const manufacturer = await api.make("dcim/manufacturers", named(`Maker of ${word}`))
  const device_type = await api.make("dcim/device-types", {
    manufacturer,
    model: type,
    slug: type.replaceAll(".", "-")
  })
  const device_role = await api.make("dcim/device-roles", named(`Role of ${word}`))
  const make = async (name: string) => {
    const device = await api.make("dcim/devices", { name, site, device_type, device_role })
    return { device, port: await api.make("dcim/interfaces", { device, name: `port of ${name}`, type }) }
  }
  return [await make(`${word} one`), await make(`${word} two`)] as const
}

it("a port at a circuit shows the circuit, and a path that ends at the site of its other side", async () => {
  const [{ device, port }] = await ports("1000base-t")
  const provider = await api.make("circuits/providers", named("Carrier"))
  const type = await api.make("circuits/circuit-types", named("Fibre"))
  const circuit = await api.make("circuits/circuits", { cid: "C-77", provider, type })
  const [near, far] = [await api.make("dcim/sites", named("Oslo")), await api.make("dcim/sites", named("Bergen"))]
  const end = await api.make("circuits/circuit-terminations", { circuit, term_side: "A", site: near })
  await api.make("circuits/circuit-terminations", { circuit, term_side: "Z", site: far })
  await api.make("dcim/cables", {
    a_terminations: [{ object_type: "dcim.interface", object_id: port }],
    b_terminations: [{ object_type: "circuits.circuittermination", object_id: end }]
  })
  expect(await textOf(`/dcim/devices/${device}/`)).toMatch(/C-77 .*Termination A: Oslo/)
  const own = await textOf(`/dcim/interfaces/${port}/`)
  expect(own).toMatch(/Connected from end to end\. .*Cable #\d+ Connected .*C-77 Termination A: Oslo .*Bergen/)
  expect(own).not.toContain("Nothing is connected here")
})

it("a port at a wireless link shows the port at its other end, and the link by its SSID", async () => {
  const [one, two] = await ports("ieee802.11ac")
  await api.make("wireless/wireless-links", { interface_a: one.port, interface_b: two.port, ssid: "bridge" })
  expect(await textOf(`/dcim/devices/${one.device}/`)).toMatch(/port of ieee802-11ac one .*port of ieee802-11ac two/)
  const own = await textOf(`/dcim/interfaces/${one.port}/`)
  expect(own).toMatch(/Connected from end to end\. .*Wireless link bridge Connected .*port of ieee802-11ac two/)
})

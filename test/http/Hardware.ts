/** Device types with templates, and devices of them, for tests of components. */
import { afterAll, beforeAll, beforeEach, expect } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

interface Page {
  readonly count: number
  readonly results: ReadonlyArray<Json & { readonly id: number; readonly name: string }>
}

/** For the tests of the file. Names end with the number of the test. */
export const startHardware = () => {
  let api: Api
  let manufacturer: number
  let usual: { readonly device_role: number; readonly site: number }
  let count = 0

  beforeAll(async () => {
    api = await sharedApi()
    manufacturer = await api.make("dcim/manufacturers", named("Acme"))
    usual = {
      device_role: await api.make("dcim/device-roles", named("Usual")),
      site: await api.make("dcim/sites", named("Usual"))
    }
  })
  afterAll(() => api.stop())
  beforeEach(() => void count++)

  const type = (fields: Json = {}) =>
    api.make("dcim/device-types", { manufacturer, model: `T${count}`, slug: `t${count}`, ...fields })

  const template = (kind: string, fields: Json) => api.make(`dcim/${kind}-templates`, fields)

  const device = (device_type: number, fields: Json = {}) =>
    api.make("dcim/devices", { ...usual, device_type, name: `D${count}`, ...fields })

  const found = async (plural: string, query: string) =>
    (await api.call<Page>("GET", `/api/dcim/${plural}/?${query}&limit=0`)).json.results

  const names = async (plural: string, of: number) =>
    (await found(plural, `device_id=${of}`)).map((each) => String(each["display"]))

  const errors = async (path: string, body: unknown) => {
    const { status, json } = await api.call("POST", `/api/dcim/${path}/`, body)
    expect(status).toBe(400)
    return json
  }

  /** A device type with templates of every kind. */
  const rich = async () => {
    const device_type = await type({ subdevice_role: "parent" })
    await template("console-port", { device_type, name: "Console", type: "rj-45", description: "not copied" })
    await template("console-server-port", { device_type, name: "Serial" })
    const power_port = await template("power-port", {
      device_type,
      name: "PSU",
      maximum_draw: 500,
      allocated_draw: 300
    })
    await template("power-outlet", { device_type, name: "Outlet", power_port, feed_leg: "B" })
    const bridge = await template("interface", { device_type, name: "br0", type: "bridge" })
    const eth = await template("interface", { device_type, name: "eth0", label: "E", type: "1000base-t", bridge })
    await template("interface", { device_type, name: "mgmt", type: "1000base-t", mgmt_only: true, enabled: false })
    const rear_port = await template("rear-port", {
      device_type,
      name: "Rear",
      type: "mpo",
      positions: 2,
      color: "ff0000"
    })
    await template("front-port", { device_type, name: "F2", type: "lc", rear_port, rear_port_position: 2 })
    await template("module-bay", { device_type, name: "Slot", position: "7" })
    await template("device-bay", { device_type, name: "Bay" })
    const parent = await template("inventory-item", { device_type, name: "Tray", part_id: "T-1", manufacturer })
    const component = { component_type: "dcim.interfacetemplate", component_id: eth }
    await template("inventory-item", { device_type, name: "Fan", parent, ...component })
    // Names below different parents may be equal.
    const other = await template("inventory-item", { device_type, name: "Other tray" })
    const same = await template("inventory-item", { device_type, name: "Tray", parent: other })
    await template("inventory-item", { device_type, name: "Fan", parent: same })
    return device_type
  }

  return {
    ...{ type, template, device, found, names, errors, rich },
    get api() {
      return api
    },
    get manufacturer() {
      return manufacturer
    },
    get usual() {
      return usual
    },
    get count() {
      return count
    }
  }
}

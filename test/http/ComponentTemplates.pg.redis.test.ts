/** Rules of component templates, and the filters that find them. */
import { describe, expect, test } from "vitest"
import { startHardware } from "./Hardware.ts"

const hardware = startHardware()
const { type, template, found, errors, rich } = hardware

describe("a template", () => {
  test("belongs to one type, and stays with it", async () => {
    const device_type = await type()
    const module_type = await hardware.api.make("dcim/module-types", {
      manufacturer: hardware.manufacturer,
      model: `M${hardware.count}`
    })
    const body = { name: "eth0", type: "1000base-t" }
    const both = "A component template cannot be associated with both a device type and a module type."
    expect(await errors("interface-templates", { ...body, device_type, module_type })).toEqual({ __all__: [both] })
    const neither = "A component template must be associated with either a device type or a module type."
    expect(await errors("interface-templates", body)).toEqual({ __all__: [neither] })
    const id = await template("interface", { ...body, device_type })
    const other = await type({ model: `O${hardware.count}`, slug: `o${hardware.count}` })
    const moved = await hardware.api.call("PATCH", `/api/dcim/interface-templates/${id}/`, { device_type: other })
    expect([moved.status, moved.json]).toEqual([
      400,
      { device_type: ["Component templates cannot be moved to a different device type."] }
    ])
  })

  test("refers to templates of its own type, at positions that they have", async () => {
    const device_type = await type()
    const other = await type({ model: `O${hardware.count}`, slug: `o${hardware.count}` })
    const rear_port = await template("rear-port", { device_type, name: "R", type: "mpo", positions: 2 })
    const front = { name: "F", type: "lc", rear_port }
    expect(await errors("front-port-templates", { ...front, device_type: other })).toEqual({
      __all__: ["Rear port (R) must belong to the same device type"]
    })
    expect(await errors("front-port-templates", { ...front, device_type, rear_port_position: 3 })).toEqual({
      __all__: ["Invalid rear port position (3); rear port R has only 2 positions"]
    })
    await template("front-port", { ...front, device_type, rear_port_position: 2 })
    const fewer = await hardware.api.call("PATCH", `/api/dcim/rear-port-templates/${rear_port}/`, { positions: 1 })
    expect(fewer.json).toEqual({
      positions: ["The number of positions cannot be less than the number of mapped front port templates (1)"]
    })
    const power_port = await template("power-port", { device_type, name: "P" })
    expect(await errors("power-outlet-templates", { device_type: other, name: "O", power_port })).toEqual({
      __all__: ["Parent power port (P) must belong to the same device type"]
    })
    const draws = { device_type, name: "Q", maximum_draw: 1, allocated_draw: 2 }
    expect(await errors("power-port-templates", draws)).toEqual({
      allocated_draw: ["Allocated draw cannot exceed the maximum draw (1W)."]
    })
  })

  test("of an interface is one that an interface may copy", async () => {
    const body = { device_type: await type(), name: "eth0", type: "virtual" }
    const virtual = "Virtual interfaces cannot have a PoE mode."
    expect(await errors("interface-templates", { ...body, poe_mode: "pd" })).toEqual({ poe_mode: [virtual] })
    const mode = "Must specify PoE mode when designating a PoE type."
    const untold = { ...body, type: "1000base-t", poe_type: "type1-ieee802.3af" }
    expect(await errors("interface-templates", untold)).toEqual({ poe_type: [mode] })
  })

  test("of a device bay makes a device type stay one of parents", async () => {
    const device_type = await type()
    expect(await errors("device-bay-templates", { device_type, name: "B" })).toEqual({
      __all__: [`Subdevice role of device type (T${hardware.count}) must be set to "parent" to allow device bays.`]
    })
    const path = `/api/dcim/device-types/${device_type}/`
    await hardware.api.call("PATCH", path, { subdevice_role: "parent" })
    await template("device-bay", { device_type, name: "B" })
    expect((await hardware.api.call("PATCH", path, { subdevice_role: null })).json).toEqual({
      subdevice_role: [
        "Must delete all device bay templates associated with this device before declassifying it as a parent device."
      ]
    })
  })

  test("is found by its type, under NetBox's name and that of 4.0", async () => {
    const device_type = await rich()
    for (const name of ["devicetype_id", "device_type_id"]) {
      expect(await found("interface-templates", `${name}=${device_type}`)).toHaveLength(3)
    }
    expect(await found("device-types", `pass_through_ports=true&id=${device_type}`)).toHaveLength(1)
    expect(await found("device-types", `console_ports=false&id=${device_type}`)).toHaveLength(0)
  })
})

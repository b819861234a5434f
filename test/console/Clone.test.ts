/** The values that a new object has from the object that it is cloned of. */
import { expect, it } from "vitest"
import { clonedCells } from "../../src/console/form/Clone.ts"
import { formOf } from "../../src/console/form/FormField.ts"
import { objectType } from "../../src/inventory/Registry.ts"

/** The cells of the form of a clone, of the fields that its original has. */
const cloned = (id: string, row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const type = objectType(id)
  const blank = Object.fromEntries(Object.keys(type.fields).map((name) => [name, null]))
  const cells = clonedCells(formOf(type, []), { ...blank, ...row, id: 7 })
  return Object.fromEntries(Object.keys(row).map((name) => [name, cells[name]]))
}

it("leaves out of a device what no other device may have: its names, units and primary addresses", () => {
  const shared = { device_type: 1, rack: 2, face: "front", site: 3, status: "active", platform: 4 }
  const own = { name: "leaf-1", position: 5, primary_ip4: 6, primary_ip6: 8, asset_tag: "A-1", serial: "S1" }
  expect(cloned("dcim.device", { ...shared, ...own })).toEqual({
    ...{ device_type: "1", rack: "2", face: "front", site: "3", status: "active", platform: "4" },
    ...{ name: "", position: "", primary_ip4: "", primary_ip6: "", asset_tag: "", serial: "" }
  })
})

it.each(["dcim.virtualdevicecontext", "virtualization.virtualmachine"])("leaves out primary addresses of %s", (id) => {
  const row = { name: "one", tenant: 1, primary_ip4: 6, primary_ip6: 8 }
  expect(cloned(id, row)).toEqual({ name: "", tenant: "1", primary_ip4: "", primary_ip6: "" })
})

it("leaves out the units of a reservation, and keeps its rack", () => {
  expect(cloned("dcim.rackreservation", { rack: 1, units: [3, 4], tenant: 2 })).toEqual({
    ...{ rack: "1", units: "", tenant: "2" }
  })
})

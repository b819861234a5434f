/** Components that new devices get from the templates of their types: by the API, forms and imports. */
import { describe, expect, test } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { named } from "../support/Client.ts"
import { startHardware } from "./Hardware.ts"

const hardware = startHardware()
const { type, template, device, found, names, errors, rich } = hardware

describe("a device", () => {
  test("gets a component for each template of its type, without descriptions", async () => {
    const id = await device(await rich())
    const [console_port] = await found("console-ports", `device_id=${id}`)
    expect(console_port).toMatchObject({ name: "Console", type: { value: "rj-45" }, description: "", module: null })
    const [power_port] = await found("power-ports", `device_id=${id}`)
    expect(power_port).toMatchObject({ name: "PSU", maximum_draw: 500, allocated_draw: 300 })
    const [outlet] = await found("power-outlets", `device_id=${id}`)
    expect(outlet).toMatchObject({ name: "Outlet", power_port: { id: power_port!.id }, feed_leg: { value: "B" } })
    const [br, eth, mgmt] = await found("interfaces", `device_id=${id}`)
    expect(br).toMatchObject({ name: "br0", bridge: null, enabled: true, mgmt_only: false })
    expect(eth).toMatchObject({ name: "eth0", label: "E", bridge: { id: br!.id } })
    expect(mgmt).toMatchObject({ name: "mgmt", enabled: false, mgmt_only: true })
    const [rear] = await found("rear-ports", `device_id=${id}`)
    expect(rear).toMatchObject({ name: "Rear", positions: 2, color: "ff0000" })
    const [front] = await found("front-ports", `device_id=${id}`)
    expect(front).toMatchObject({ name: "F2", rear_port: { id: rear!.id }, rear_port_position: 2 })
    expect(await found("console-server-ports", `device_id=${id}`)).toMatchObject([{ name: "Serial" }])
    expect(await found("module-bays", `device_id=${id}`)).toMatchObject([{ name: "Slot", position: "7" }])
    expect(await found("device-bays", `device_id=${id}`)).toMatchObject([{ name: "Bay" }])
    const items = await found("inventory-items", `device_id=${id}&ordering=id`)
    const [other, tray, fan, same, last] = items
    expect(items.map(({ name }) => name)).toEqual(["Other tray", "Tray", "Fan", "Tray", "Fan"])
    expect(tray).toMatchObject({ parent: null, part_id: "T-1", manufacturer: { id: hardware.manufacturer } })
    expect(fan).toMatchObject({ parent: tray!.id, component_type: "dcim.interface", component_id: eth!.id })
    expect(same).toMatchObject({ parent: other!.id })
    expect(last).toMatchObject({ parent: same!.id, component_type: null })
  })

  test("of a list gets its own, and an import and a form make them as well", async () => {
    const device_type = await type()
    const [first, second] = await hardware.api.makeAll("dcim/devices", [
      { ...hardware.usual, device_type, name: `a${hardware.count}` },
      { ...hardware.usual, device_type, name: `b${hardware.count}` }
    ])
    expect(await names("interfaces", first!)).toEqual([])
    await template("interface", { device_type, name: "eth1", type: "1000base-t" })
    await template("interface", { device_type, name: "eth0", type: "1000base-t" })
    // Later changes of templates do not reach devices.
    expect(await names("interfaces", second!)).toEqual([])
    const more = await hardware.api.makeAll("dcim/devices", [
      { ...hardware.usual, device_type, name: `c${hardware.count}` },
      { ...hardware.usual, device_type, name: `d${hardware.count}` }
    ])
    for (const id of more) expect(await names("interfaces", id)).toEqual(["eth0", "eth1"])
    const token = await hardware.api.newToken()
    const headers = { authorization: `Token ${token}`, "content-type": "text/csv" }
    const csv = `name,device_type.id,device_role.id,site.id\ne${hardware.count},${device_type},${hardware.usual.device_role},${hardware.usual.site}\n`
    const url = `${hardware.api.service.url}/api/dcim/devices/import/`
    const dry = await fetch(`${url}?dry_run=true`, { method: "POST", headers, body: csv })
    expect([dry.status, await dry.json()]).toMatchObject([200, { created: 1 }])
    expect((await fetch(url, { method: "POST", headers, body: csv })).status).toBe(200)
    const [imported] = await found("devices", `name=e${hardware.count}`)
    expect(await names("interfaces", imported!.id)).toEqual(["eth0", "eth1"])
    const form = new URLSearchParams({
      ...{ name: `f${hardware.count}`, device_type: `${device_type}`, device_role: `${hardware.usual.device_role}` },
      ...{ site: `${hardware.usual.site}`, status: "active" }
    })
    const sent = await fetch(`${hardware.api.service.url}/dcim/devices/add/`, {
      ...{ method: "POST", redirect: "manual", body: form },
      headers: { authorization: `Token ${token}`, accept: "text/html" }
    })
    expect(sent.status).toBe(302)
    const [made] = await found("devices", `name=f${hardware.count}`)
    expect(await names("interfaces", made!.id)).toEqual(["eth0", "eth1"])
    const all = await found("interfaces", `device_type_id=${device_type}`)
    expect(all).toHaveLength(8)
  })

  test("needs no right to create components, and custom fields of components have their defaults", async () => {
    const device_type = await type()
    await template("interface", { device_type, name: "eth0", type: "1000base-t" })
    await hardware.api.make("extras/custom-fields", {
      ...{ name: `owner_${hardware.count}`, type: "text", content_types: ["dcim.interface"], default: "nobody" }
    })
    const read = { types: ["dcim.devicetype", "dcim.devicerole", "dcim.site"], actions: ["view"] }
    const user = await makeUser(hardware.api, `adder${hardware.count}`, read, {
      types: ["dcim.device"],
      actions: ["add", "view"]
    })
    const body = { ...hardware.usual, device_type, name: `D${hardware.count}` }
    const { status, json } = await user.call("POST", "/api/dcim/devices/", body)
    expect(status).toBe(201)
    const [port] = await found("interfaces", `device_id=${Number(json["id"])}`)
    expect(port).toMatchObject({ name: "eth0", custom_fields: { [`owner_${hardware.count}`]: "nobody" } })
  })

  test("takes airflow and platform of its type and the location of its rack, where it has none", async () => {
    const platform = await hardware.api.make("dcim/platforms", named(`P${hardware.count}`))
    const own = await hardware.api.make("dcim/platforms", named(`Q${hardware.count}`))
    const device_type = await type({ airflow: "passive", default_platform: platform })
    const location = await hardware.api.make("dcim/locations", {
      ...named(`L${hardware.count}`),
      site: hardware.usual.site
    })
    const rack = await hardware.api.make("dcim/racks", {
      name: `R${hardware.count}`,
      site: hardware.usual.site,
      location
    })
    const id = await device(device_type, { rack })
    const shown = (await hardware.api.call("GET", `/api/dcim/devices/${id}/`)).json
    const taken = { airflow: { value: "passive" }, platform: { id: platform }, location: { id: location } }
    expect(shown).toMatchObject(taken)
    const other = await hardware.api.makeObject("dcim/devices", {
      ...{ ...hardware.usual, device_type, name: `E${hardware.count}`, airflow: "mixed", platform: own }
    })
    expect(other).toMatchObject({ airflow: { value: "mixed" }, platform: { id: own }, location: null })
    // Every write takes the location; the others may be emptied.
    const body = { rack, airflow: "", platform: null }
    const moved = await hardware.api.call("PATCH", `/api/dcim/devices/${other.id}/`, body)
    expect(moved.json).toMatchObject({ airflow: null, platform: null, location: { id: location } })
  })

  test("takes no platform of its type that is for devices of another manufacturer", async () => {
    const manufacturer = await hardware.api.make("dcim/manufacturers", named(`O${hardware.count}`))
    const platform = await hardware.api.make("dcim/platforms", { ...named(`X${hardware.count}`), manufacturer })
    const id = await device(await type({ default_platform: platform }))
    expect((await hardware.api.call("GET", `/api/dcim/devices/${id}/`)).json).toMatchObject({ platform: null })
  })

  test("of a list that would make too many components is refused with the whole list", async () => {
    const device_type = await type()
    await hardware.api.database.sql.query(
      `insert into dcim_interfacetemplate (device_type_id, name, type)
       select $1, 'eth' || n, 'virtual' from generate_series(1, 201) n`,
      [device_type]
    )
    const bodies = Array.from({ length: 500 }, (_, n) => {
      return { ...hardware.usual, device_type, name: `many ${hardware.count} ${n}` }
    })
    const message = "The templates would make 100500 components, and a request may create at most 100000."
    expect(JSON.stringify(await errors("devices", bodies))).toContain(message)
    expect(await found("devices", `device_type_id=${device_type}`)).toEqual([])
  })

  test("gets 500 components by as many statements as five", async () => {
    const statements = async (templates: number) => {
      const device_type = await type({
        model: `S${hardware.count}-${templates}`,
        slug: `s${hardware.count}-${templates}`
      })
      await hardware.api.database.sql.query(
        `insert into dcim_interfacetemplate (device_type_id, name, type)
         select $1, 'eth' || n, 'virtual' from generate_series(1, $2::int) n`,
        [device_type, templates]
      )
      const id = await device(device_type, { name: `S${hardware.count}-${templates}` })
      const [rows] = await hardware.api.database.sql.query<{ n: number }>(
        "select count(distinct cmin::text)::int as n from dcim_interface where device_id = $1",
        [id]
      )
      expect(await found("interfaces", `device_id=${id}`)).toHaveLength(templates)
      return rows!.n
    }
    expect([await statements(5), await statements(500)]).toEqual([1, 1])
  })
})

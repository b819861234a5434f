/** Components that new modules get from the templates of their types, or adopt. */
import { describe, expect, test } from "vitest"
import { startHardware } from "./Hardware.ts"

const hardware = startHardware()
const { type, template, device, found, names, errors } = hardware

describe("a module", () => {
  const moduleType = async () => {
    const module_type = await hardware.api.make("dcim/module-types", {
      manufacturer: hardware.manufacturer,
      model: `M${hardware.count}`
    })
    await template("interface", { module_type, name: "Eth{module}/1", label: "{module}", type: "1000base-t" })
    await template("interface", { module_type, name: "Eth{module}/{module}", type: "1000base-t" })
    const rear_port = await template("rear-port", { module_type, name: "Rear{module}", type: "mpo", positions: 4 })
    await template("front-port", { module_type, name: "Front{module}", type: "lc", rear_port, rear_port_position: 3 })
    const power_port = await template("power-port", { module_type, name: "P{module}" })
    await template("power-outlet", { module_type, name: "O{module}", power_port })
    return module_type
  }

  const bay = (of: number, name: string, position: string) =>
    hardware.api.make("dcim/module-bays", { device: of, name, position })

  test("gets the components of its type, with the position of its bay for {module}", async () => {
    const module_type = await moduleType()
    const owner = await device(await type())
    const module_bay = await bay(owner, "Slot 2", "2")
    const id = await hardware.api.make("dcim/modules", { device: owner, module_bay, module_type })
    const [first, second] = await found("interfaces", `module_id=${id}`)
    expect(first).toMatchObject({ name: "Eth2/1", label: "2", module: { id }, device: { id: owner } })
    expect(second).toMatchObject({ name: "Eth2/2" })
    const [front] = await found("front-ports", `module_id=${id}`)
    expect(front).toMatchObject({ name: "Front2", rear_port: { name: "Rear2" }, rear_port_position: 3 })
    expect(await found("power-outlets", `module_id=${id}`)).toMatchObject([{ name: "O2", power_port: { name: "P2" } }])
    expect((await hardware.api.call("DELETE", `/api/dcim/modules/${id}/`)).status).toBe(204)
    expect(await names("interfaces", owner)).toEqual([])
  })

  test("gets none if the request says so, and adopts what has no module", async () => {
    const module_type = await moduleType()
    const owner = await device(await type())
    const [none, adopting] = [await bay(owner, "Slot 3", "3"), await bay(owner, "Slot 4", "4")]
    const own = { device: owner, name: "Eth4/1", type: "virtual" }
    const kept = await hardware.api.make("dcim/interfaces", own)
    const empty = await hardware.api.make("dcim/modules", {
      ...{ device: owner, module_bay: none, module_type, replicate_components: false }
    })
    expect(await found("interfaces", `module_id=${empty}`)).toEqual([])
    const body = { device: owner, module_bay: adopting, module_type }
    expect(await errors("modules", body)).toEqual({ __all__: ["Interface - Eth4/1 already exists"] })
    const made = await hardware.api.call("POST", "/api/dcim/modules/?strict=true", { ...body, adopt_components: true })
    expect(made.status).toBe(201)
    expect(made.json).not.toHaveProperty("adopt_components")
    const adopted = await found("interfaces", `module_id=${Number(made.json["id"])}`)
    expect(adopted).toMatchObject([{ id: kept, name: "Eth4/1", type: { value: "virtual" } }, { name: "Eth4/4" }])
    await hardware.api.call("DELETE", `/api/dcim/modules/${empty}/`)
    const taken = { device: owner, module_bay: await bay(owner, "Slot 4b", "4"), module_type, adopt_components: true }
    const message = "Cannot adopt Interface 'Eth4/1' as it already belongs to a module"
    expect(await errors("modules", taken)).toEqual({ __all__: [message] })
    const wrong = await errors("modules", { ...taken, adopt_components: "maybe" })
    expect(wrong).toEqual({ adopt_components: ["Must be a valid boolean."] })
  })

  test("is refused without a position for {module}, or with names that are too long, and nothing is written", async () => {
    const module_type = await moduleType()
    const owner = await device(await type())
    const body = { device: owner, module_type }
    const nowhere = await errors("modules", { ...body, module_bay: await bay(owner, "Bare", "") })
    const message = "Cannot install module with placeholder values in a module bay with no position defined"
    expect(nowhere).toEqual({ __all__: [message] })
    await template("interface", { module_type, name: `${"x".repeat(40)}{module}`, type: "virtual" })
    const long = await errors("modules", { ...body, module_bay: await bay(owner, "Long", "y".repeat(30)) })
    expect(String(long["__all__"])).toMatch(
      /^Ensure that names and labels of components have at most 64 characters: x+y+$/
    )
    expect(await found("modules", `device_id=${owner}`)).toEqual([])
    expect(await names("interfaces", owner)).toEqual([])
  })

  test("is created by a form with the same two flags", async () => {
    const module_type = await moduleType()
    const owner = await device(await type())
    const token = await hardware.api.newToken()
    const form = async (fields: Record<string, string>, method = "POST") => {
      const body = new URLSearchParams({
        ...fields,
        device: `${owner}`,
        module_type: `${module_type}`,
        status: "active"
      })
      const reply = await fetch(`${hardware.api.service.url}/dcim/modules/add/`, {
        ...{ method, redirect: "manual", ...(method === "POST" && { body }) },
        headers: { authorization: `Token ${token}`, accept: "text/html" }
      })
      return { status: reply.status, text: await reply.text() }
    }
    expect((await form({}, "GET")).text).toContain('name="adopt_components"')
    const empty = await form({ module_bay: `${await bay(owner, "A", "11")}`, replicate_components: "false" })
    expect([empty.status, await names("interfaces", owner)]).toEqual([302, []])
    const module_bay = `${await bay(owner, "B", "12")}`
    await hardware.api.make("dcim/interfaces", { device: owner, name: "Eth12/1", type: "virtual" })
    const refused = await form({ module_bay })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain("Interface - Eth12/1 already exists")
    expect((await form({ module_bay, adopt_components: "true" })).status).toBe(302)
    expect(await names("interfaces", owner)).toEqual(["Eth12/1", "Eth12/12"])
  })

  test("of a list whose names collide is refused with the whole list", async () => {
    const module_type = await moduleType()
    const owner = await device(await type())
    const bodies = [await bay(owner, "A", "9"), await bay(owner, "B", "9")].map((module_bay) => ({
      ...{ device: owner, module_bay, module_type }
    }))
    const refused = JSON.stringify(await errors("modules", bodies))
    expect(refused).toMatch(/Interface - Eth9\/1 already exists/)
    expect(await found("modules", `device_id=${owner}`)).toEqual([])
  })

  test("that would break a rule of a component leaves nothing behind", async () => {
    const module_type = await moduleType()
    const owner = await device(await type())
    // The adopted port has fewer positions than the template's front port needs.
    await hardware.api.make("dcim/rear-ports", { device: owner, name: "Rear5", type: "mpo", positions: 1 })
    const module_bay = await bay(owner, "Slot 5", "5")
    await errors("modules", { device: owner, module_bay, module_type, adopt_components: true })
    expect(await found("modules", `device_id=${owner}`)).toEqual([])
    expect(await names("interfaces", owner)).toEqual([])
    expect(await found("rear-ports", `device_id=${owner}`)).toMatchObject([{ name: "Rear5", module: null }])
  })
})

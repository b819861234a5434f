/** Files of the device type library: types with their components, errors by line, and files made to do harm. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

interface Page {
  readonly count: number
  readonly results: ReadonlyArray<Json & { readonly id: number; readonly name: string }>
}

let api: Api
let token: string

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
})
afterAll(() => api.stop())

const fixture = (name: string) =>
  readFileSync(new URL(`../command/library/${name}`, import.meta.url), "utf8").replace(/^(?!---|#)/, "---\n")

const send = async (plural: string, body: string, query = "", by = token) => {
  const reply = await fetch(`${api.service.url}/api/dcim/${plural}/import/${query}`, {
    method: "POST",
    headers: { authorization: `Token ${by}`, "content-type": "application/yaml" },
    body
  })
  return { status: reply.status, json: (await reply.json()) as Json }
}

const found = async (plural: string, query = "") =>
  (await api.call<Page>("GET", `/api/dcim/${plural}/?${query}&limit=0`)).json.results

/** How many objects there are of every type that a file may create. */
const totals = async () => {
  const kinds =
    "console-port console-server-port power-port power-outlet interface rear-port front-port module-bay device-bay inventory-item"
  const plurals = [
    "manufacturers",
    "device-types",
    "module-types",
    ...kinds.split(" ").map((kind) => `${kind}-templates`)
  ]
  return Promise.all(plurals.map(async (plural) => [plural, (await found(plural)).length] as const))
}

const one = (fields: string) => `---\nmanufacturer: Lines Inc.\nmodel: Wrong\nslug: wrong\n${fields}`

describe("a file of the library", () => {
  test("creates its type, all components and manufacturers; again it changes nothing", async () => {
    const body = fixture("device-types/Acme/chassis-4.yaml") + fixture("device-types/Borg/panel-24.yaml")
    const dry = await send("device-types", body, "?dry_run=true")
    const report = {
      ...{ rows: 2, created: 2, updated: 0, unchanged: 0, templates: 22, pictures: 1, errors: [] },
      manufacturers: ["Acme", "Fans & Co.", "Borg"],
      ignored: ["front_image"]
    }
    expect(dry).toMatchObject({ status: 200, json: { dry_run: true, ...report } })
    expect(await found("manufacturers")).toEqual([])
    expect(await send("device-types", body)).toMatchObject({ status: 200, json: { dry_run: false, ...report } })
    const [chassis] = await found("device-types", "slug=acme-chassis-4")
    expect(chassis).toMatchObject({
      ...{ part_number: "0042", u_height: 4, weight: 12.5, weight_unit: { value: "kg" } },
      ...{ airflow: { value: "front-to-rear" }, subdevice_role: { value: "parent" } },
      manufacturer: { name: "Acme", slug: "acme" }
    })
    const of = `devicetype_id=${chassis!.id}`
    const ports = await found("interface-templates", of)
    expect(ports.map(({ name }) => name)).toEqual(["br0", "eth0", "mgmt0"])
    expect(ports[1]).toMatchObject({ bridge: { name: "br0" }, description: "The first one" })
    expect(await found("front-port-templates", of)).toMatchObject([
      { name: "F1", rear_port: { name: "Trunk" }, rear_port_position: 1 },
      { name: "F2", rear_port: { name: "Trunk" }, rear_port_position: 2, color: "00ff00" }
    ])
    expect(await found("power-outlet-templates", of)).toMatchObject([{ power_port: { name: "PSU1" } }])
    const items = await found("inventory-item-templates", of)
    const tray = items.find(({ name }) => name === "Fan tray")
    expect(tray).toMatchObject({ part_id: "FT-9", manufacturer: { slug: "fans-co" } })
    expect(items.find(({ name }) => name === "Fan 1")).toMatchObject({ parent: tray!.id })
    const before = await totals()
    const again = await send("device-types", body)
    expect(again.json).toMatchObject({ rows: 2, created: 0, unchanged: 2, templates: 0, manufacturers: [] })
    expect(await totals()).toEqual(before)
  })

  test("of a module type keeps {module}, and keys of today are named", async () => {
    const reply = await send("module-types", fixture("module-types/Acme/linecard.yaml"))
    expect(reply).toMatchObject({ status: 200, json: { created: 1, templates: 6, ignored: ["attributes", "profile"] } })
    const [card] = await found("module-types", "model=Line card")
    const ports = await found("interface-templates", `moduletype_id=${card!.id}`)
    expect(ports.map(({ name }) => name)).toEqual(["Ethernet{module}/1", "Ethernet{module}/2"])
  })

  test("has names without quotes as they are written", async () => {
    expect((await send("device-types", fixture("device-types/Acme/blade.yml"))).status).toBe(200)
    const [blade] = await found("device-types", "slug=acme-blade")
    expect(await found("interface-templates", `devicetype_id=${blade!.id}`)).toMatchObject([{ name: "1" }])
  })

  test("spells a manufacturer in several ways", async () => {
    const file = (manufacturer: string, model: string) =>
      `---\nmanufacturer: ${manufacturer}\nmodel: ${model}\nslug: ${model}\n`
    const body = file("Spelled Out", "one") + file("spelled-out", "two") + file("SPELLED OUT ", "three")
    const reply = await send("device-types", body)
    expect(reply.json).toMatchObject({ created: 3, manufacturers: ["Spelled Out"] })
    const again = await send("device-types", file("SPELLED OUT", "four"))
    expect(again.json).toMatchObject({ created: 1, manufacturers: [] })
  })

  test("with a list of rows is read as any other file", async () => {
    const body = "- manufacturer: Nobody\n  model: Row\n  slug: row\n"
    const reply = await send("device-types", body)
    expect(reply.status).toBe(400)
    expect(JSON.stringify(reply.json["errors"])).toContain("Related object not found")
  })
})

describe("a wrong file", () => {
  const refused = async (body: string) => {
    const before = await totals()
    const { status, json } = await send("device-types", body)
    expect(await totals()).toEqual(before)
    return { status, json }
  }

  test("names every error with its line, and writes nothing", async () => {
    const good = fixture("device-types/Borg/panel-24.yaml").replaceAll("24", "48").replaceAll("Borg", "Lines Inc.")
    const lines = good.split("\n").length - 1
    const wrong = `interfaces:
  - name: eth0
    type: 1000base-t
  - name: eth1
    type: no-such-type
power-outlets:
  - name: O
    power_port: missing
front-ports: {}
`
    const { status, json } = await refused(good + one(wrong))
    expect(status).toBe(400)
    expect(json).toMatchObject({ rows: 2, created: 0, templates: 0, manufacturers: [] })
    // A document whose keys are wrong is not read further.
    expect(json["errors"]).toEqual([{ row: 2, line: lines + 13, errors: { "front-ports": ["Expected a list."] } }])
    const rest = await refused(good + one(wrong.replace("front-ports: {}\n", "")))
    expect(rest.json["errors"]).toEqual([
      {
        ...{ row: 2, line: lines + 8 },
        errors: { "interfaces[1].type": ["no-such-type is not a valid choice."] }
      },
      {
        ...{ row: 2, line: lines + 11 },
        errors: { "power-outlets[0].power_port": ["The document has no such component: missing"] }
      }
    ])
  })

  test.each([
    ["a value that the type refuses", "u_height: 1.3\n", 5, "u_height"],
    ["a key that no file has", "height: 1\n", 5, "height"],
    ["an id", "id: 7\n", 5, "id"],
    ["half a character", 'part_number: "\\uD800"\n', 5, "part_number"],
    ["components of another kind", "interfaces: eth0\n", 5, "interfaces"],
    ["a component that is no object", "interfaces:\n  - eth0\n", 6, "interfaces[0]"],
    ["two components of one name", "module-bays:\n  - name: A\n  - name: A\n", 7, "module-bays[1]"],
    ["bays of a type that is no parent", "device-bays:\n  - name: A\n", 6, "device-bays[0]"],
    [
      "items that are each other's parent",
      "inventory-items:\n  - {name: A, parent: B}\n  - {name: B, parent: A}\n",
      6,
      "inventory-items[0].parent"
    ]
  ])("with %s is refused at its line", async (_, fields, line, key) => {
    const { status, json } = await refused(one(fields))
    expect(status).toBe(400)
    const [first] = json["errors"] as ReadonlyArray<Json>
    expect([first!["line"], Object.keys(first!["errors"] as object)]).toEqual([line, [key]])
  })

  const bomb = `a: &a [x, x]\n${[..."bcdefghi"].map((name, n) => `${name}: &${name} [*${"abcdefgh"[n]}, *${"abcdefgh"[n]}]`).join("\n")}\n`

  test.each([
    ["anchors that explode", one(bomb), 400, /^The file cannot be read: line 6: aliases are not read: \*a\.$/, 6],
    ["a merge key", one("x: &x {a: 1}\ny:\n  <<: *x\n"), 400, /line 7: aliases are not read: \*x\.$/, 7],
    ["no YAML", one("interfaces: [\n"), 400, /^The file cannot be read: line \d+: /, expect.any(Number)],
    ["a key twice", one("model: Again\n"), 400, /line 5: a key occurs twice/, 5],
    ["a document that is a text", `${one("")}---\njust a text\n`, 400, /line 5: expected/, 5],
    ["a list among documents", `${one("")}---\n- a\n`, 400, /line 5: expected an object/, 5],
    [
      "a document that is too long",
      one(`comments: ${"x".repeat(270_000)}\n`),
      413,
      /^Line 1: the document has 27\d+ /,
      1
    ],
    ["nesting", one(`comments: ${"[".repeat(5000)}\n`), 400, /cannot be read/, expect.any(Number)],
    ["nothing", "---\n# nothing\n", 400, /Expected documents/, undefined]
  ])("with %s is refused as a whole", async (_, body, status, detail, line) => {
    const reply = await refused(body)
    const { json } = reply
    expect([reply.status, json["detail"], json["line"]]).toEqual([status, expect.stringMatching(detail), line])
  })
})

test("an import needs the right to create each kind of object", async () => {
  await api.make("dcim/manufacturers", named("Rights"))
  const body = `---\nmanufacturer: Rights\nmodel: R\nslug: r\ninterfaces:\n  - {name: a, type: virtual}\n`
  const view = { types: ["dcim.manufacturer", "dcim.devicetype"], actions: ["view"] }
  const some = await makeUser(api, "some", view, { types: ["dcim.devicetype"], actions: ["add"] })
  expect((await send("device-types", body, "", some.token)).status).toBe(403)
  expect(await found("device-types", "slug=r")).toEqual([])
  const types = ["dcim.devicetype", "dcim.interfacetemplate"]
  const enough = await makeUser(api, "enough", view, { types, actions: ["add"] })
  expect((await send("device-types", body.replace("Rights", "Unknown"), "", enough.token)).status).toBe(403)
  expect((await send("device-types", body, "", enough.token)).status).toBe(200)
})

/** The two images of a device type: how they are written, kept, removed, served and found. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { imageBytesMax } from "../../src/inventory/image/ImageField.ts"
import { makeUser } from "../auth/Users.ts"
import { pixel } from "../support/AnyObject.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { formWith, gif, jpeg, png } from "../support/Images.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let token: string
let manufacturer: number

const path = "/api/dcim/device-types/"

beforeAll(async () => {
  api = await startApi({ IMAGE_STORAGE_LIMIT: "32 MiB" })
  token = await api.newToken()
  manufacturer = await api.make("dcim/manufacturers", named("Acme"))
})
afterAll(() => api.stop())

type Shown = Json & { readonly id: number; readonly front_image: string | null; readonly rear_image: string | null }

const send = async (method: string, to: string, body: FormData | object, key = token) => {
  const isForm = body instanceof FormData
  const headers = { authorization: `Token ${key}`, ...(!isForm && { "content-type": "application/json" }) }
  const response = await fetch(api.service.url + to, { method, headers, body: isForm ? body : JSON.stringify(body) })
  return { status: response.status, json: (await response.json()) as Shown }
}

let count = 0

/** The fields that a new device type needs, as a form has them. */
const wanted = () => {
  count += 1
  return { manufacturer: `${manufacturer}`, model: `Model ${count}`, slug: `model-${count}` }
}

const create = (files: Readonly<Record<string, Uint8Array>>, name?: string) =>
  send("POST", path, formWith(wanted(), files, name))
const change = (id: number, body: FormData | object) => send("PATCH", `${path}${id}/`, body)
const get = (address: string | null, key = token, headers = {}) =>
  fetch(String(address), { headers: { authorization: `Token ${key}`, ...headers }, redirect: "manual" })
const bytesAt = async (address: string | null) => new Uint8Array(await (await get(address)).arrayBuffer())

/** How many parts are stored of each field. */
const parts = async () => {
  const [row] = await api.database.sql.query<{ readonly front: number; readonly rear: number }>(
    `select count(dcim_devicetype_front_image)::int as front, count(dcim_devicetype_rear_image)::int as rear
       from rackwire_image_part`
  )
  return [row!.front, row!.rear] as const
}

describe("the images of a device type", () => {
  it("are null without a file, and addresses of both files of a form", async () => {
    const plain = await send("POST", path, wanted())
    expect([plain.status, plain.json]).toMatchObject([201, { front_image: null, rear_image: null }])
    const tag = await api.make("extras/tags", named("rare"))
    const other = await api.make("extras/tags", named("blue"))
    const form = formWith(
      { ...wanted(), u_height: "2.5", is_full_depth: "false", weight: "", airflow: "passive", comments: "one" },
      { front_image: png(640, 480), rear_image: jpeg(3, 4) }
    )
    for (const id of [tag, other]) form.append("tags", `${id}`)
    const { status, json } = await send("POST", path, form)
    expect([status, json]).toMatchObject([
      201,
      { u_height: 2.5, is_full_depth: false, weight: null, airflow: { value: "passive" }, comments: "one" }
    ])
    expect((json["tags"] as ReadonlyArray<Json>).map(({ slug }) => slug).toSorted()).toEqual(["blue", "rare"])
    const folder = `${api.service.url}/media/devicetype-images/${json.id}/`
    expect([json.front_image, json.rear_image]).toEqual([
      expect.stringMatching(new RegExp(`^${folder}front_\\w{10}\\.png$`)),
      expect.stringMatching(new RegExp(`^${folder}front_\\w{10}\\.jpg$`))
    ])
    expect(await bytesAt(json.front_image)).toEqual(png(640, 480))
    expect(await bytesAt(json.rear_image)).toEqual(jpeg(3, 4))
    const served = await get(json.rear_image)
    expect(Object.fromEntries(served.headers)).toMatchObject({
      "content-type": "image/jpeg",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(/default-src 'none'; sandbox/) as string
    })
    // One file may be both.
    const twice = await create({ front_image: gif(1, 2), rear_image: gif(1, 2) })
    expect(twice.json.front_image).toBe(twice.json.rear_image)
    await change(twice.json.id, { front_image: null })
    expect(await bytesAt(twice.json.rear_image)).toEqual(gif(1, 2))
  })

  it("are kept by their names and addresses, and replaced alone", async () => {
    const { json } = await create({ front_image: gif(1, 2), rear_image: gif(3, 4) })
    const { tags, ...own } = json
    const body = { ...own, manufacturer, description: "renamed" }
    const same = await send("PUT", `${path}${json.id}/`, body)
    expect([same.status, same.json]).toMatchObject([
      200,
      { description: "renamed", front_image: json.front_image, rear_image: json.rear_image }
    ])
    expect(tags).toEqual([])
    const name = json.front_image!.split("/").at(-1)
    expect((await change(json.id, formWith({ front_image: name! }, {}))).json.front_image).toBe(json.front_image)
    const before = await parts()
    const other = await change(json.id, formWith({}, { rear_image: gif(5, 6) }))
    expect([other.json.front_image, other.json.rear_image === json.rear_image]).toEqual([json.front_image, false])
    expect([await bytesAt(json.front_image), await bytesAt(other.json.rear_image)]).toEqual([gif(1, 2), gif(5, 6)])
    expect((await get(json.rear_image)).status).toBe(404)
    const text = await change(json.id, { front_image: pixel })
    expect(await bytesAt(text.json.front_image)).toEqual(new Uint8Array(Buffer.from(pixel.split(",")[1]!, "base64")))
    expect(await parts()).toEqual(before)
    // A PUT without them leaves them: it names fields that are required.
    const left = await send("PUT", `${path}${json.id}/`, { ...wanted(), manufacturer })
    expect(left.json).toMatchObject({ front_image: text.json.front_image, rear_image: other.json.rear_image })
  })

  it("are removed by null or a blank field, with their bytes, and with their object", async () => {
    const before = await parts()
    const { json } = await create({ front_image: gif(1, 2), rear_image: gif(3, 4) })
    expect(await parts()).toEqual([before[0] + 1, before[1] + 1])
    const front = await change(json.id, { front_image: null })
    expect(front.json).toMatchObject({ front_image: null, rear_image: json.rear_image })
    expect(await parts()).toEqual([before[0], before[1] + 1])
    expect((await change(json.id, formWith({ rear_image: "" }, {}))).json.rear_image).toBeNull()
    expect(await parts()).toEqual(before)
    const again = await create({ front_image: gif(1, 2), rear_image: gif(3, 4) })
    const list = await api.call("PATCH", path, [{ id: again.json.id, rear_image: null }])
    expect([list.status, await parts()]).toEqual([200, [before[0] + 1, before[1]]])
    await api.call("DELETE", `${path}${again.json.id}/`)
    expect(await parts()).toEqual(before)
  })

  it("stay where a write of them is refused", async () => {
    const { json } = await create({ front_image: gif(1, 2), rear_image: gif(3, 4) })
    const before = await parts()
    const body = { front_image: null, rear_image: pixel, u_height: 0.3 }
    expect(await change(json.id, body)).toMatchObject({ status: 400, json: { u_height: expect.anything() as unknown } })
    expect(await parts()).toEqual(before)
    expect(await bytesAt(json.rear_image)).toEqual(gif(3, 4))
  })

  it("are found by filters", async () => {
    const { json } = await create({ front_image: gif(1, 2) })
    const found = async (query: string) =>
      (await api.call<List>("GET", `${path}?id=${json.id}&${query}`)).json.results.length
    expect(await Promise.all(["true", "false"].map((each) => found(`has_front_image=${each}`)))).toEqual([1, 0])
    expect(await Promise.all(["true", "false"].map((each) => found(`has_rear_image=${each}`)))).toEqual([0, 1])
  })

  it("are addresses in events and the change log, which have no bytes", async () => {
    const marked = Buffer.concat([gif(1, 1), Buffer.from("MARK OF THE BYTES")])
    const { json } = await create({ front_image: marked })
    await change(json.id, { front_image: null })
    const changes = `/api/extras/object-changes/?changed_object_id=${json.id}&changed_object_type=dcim.devicetype`
    const log = () => api.call<List>("GET", changes)
    await expect.poll(async () => (await log()).text).toContain('"update"')
    const { json: list, text } = await log()
    const name = json.front_image!.split("/").at(-1)
    const changed = list.results as ReadonlyArray<Json>
    const states = changed.map(({ prechange_data, postchange_data }) =>
      [prechange_data, postchange_data].map((state) => (state as Json | null)?.["front_image"])
    )
    expect(states.toSorted()).toEqual(
      [
        [undefined, name],
        [name, null]
      ].toSorted()
    )
    for (const form of ["utf8", "base64", "hex"] as const)
      expect(text).not.toContain(Buffer.from("MARK OF").toString(form).slice(0, 9))
  })
})

describe("a hostile form of a device type", () => {
  const fault = async (files: Readonly<Record<string, Uint8Array>>, name?: string) => {
    const { status, json } = await create(files, name)
    return [status, json]
  }

  it("is refused for a file that is no image, by its field", async () => {
    const before = await parts()
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    const refused = (text: string) => [expect.stringContaining(text)]
    expect(await fault({ front_image: svg, rear_image: gif(1, 1) }, "x.svg")).toEqual([
      400,
      { front_image: refused("Upload a valid image") }
    ])
    expect(await fault({ front_image: png(100_000, 100_000), rear_image: png(640, 480).slice(0, 20) })).toEqual([
      400,
      { front_image: refused("pixels"), rear_image: refused("Upload a valid image") }
    ])
    const large = Buffer.concat([gif(1, 1), Buffer.alloc(imageBytesMax)])
    expect(await fault({ rear_image: large })).toEqual([400, { rear_image: refused(`${imageBytesMax} bytes`) }])
    expect(await parts()).toEqual(before)
    expect(await fault({ front_image: large, rear_image: Buffer.concat([large, large]) })).toEqual([
      413,
      { detail: expect.stringContaining("exceeds") as string }
    ])
  })

  it("is an image alone where it is a page too", async () => {
    const polyglot = gif(10_799, 10, "=1;alert(1)//<html><script>alert(1)</script>")
    const { json } = await create({ front_image: polyglot }, "../../../etc/x.html")
    expect(json.front_image).toMatch(/\/media\/devicetype-images\/\d+\/x_\w{10}\.gif$/)
    const served = await get(json.front_image, token, { accept: "text/html" })
    expect([served.headers.get("content-type"), served.headers.get("content-security-policy")]).toEqual([
      "image/gif",
      expect.stringContaining("sandbox")
    ])
    for (const name of ["x.html", "null", "%00", "..%2fx"])
      expect((await get(`${api.service.url}/media/devicetype-images/${json.id}/${name}`)).status).toBe(404)
    // A folder has the images of its own type alone.
    expect((await get(json.front_image!.replace("devicetype-images", "image-attachments"))).status).toBe(404)
  })

  it("is refused for a file that is no file, a file of a text, and two files of a field", async () => {
    const { json } = await create({ front_image: gif(1, 1) })
    const name = json.front_image!.split("/").at(-1)!
    const noFile = [expect.stringContaining("was not a file")]
    for (const body of [
      { front_image: "other_0123456789.gif" },
      { front_image: true },
      { front_image: 1 },
      { rear_image: name }
    ])
      expect(await change(json.id, body)).toMatchObject({ status: 400, json: { [Object.keys(body)[0]!]: noFile } })
    expect(await change(json.id, formWith({ rear_image: "text" }, {}))).toMatchObject({
      status: 400,
      json: { rear_image: noFile }
    })
    for (const field of ["model", "comments", "manufacturer", "u_height", "is_full_depth", "tags", "custom_fields"])
      expect(await change(json.id, formWith({}, { [field]: gif(1, 1) }))).toMatchObject({
        status: 400,
        json: { [field]: ["This field takes no file."] }
      })
    const two = formWith({}, { rear_image: gif(1, 1) })
    two.append("rear_image", new Blob(["x"]), "y.gif")
    expect((await change(json.id, two)).json).toEqual({ detail: "The form has several files: rear_image." })
    // A text and a file of one name: the file counts.
    const both = formWith({ rear_image: "" }, {})
    both.append("rear_image", new Blob([Buffer.from(gif(7, 8))]), "y.gif")
    expect(await bytesAt((await change(json.id, both)).json.rear_image)).toEqual(gif(7, 8))
  })

  thorough("is refused beyond the limit of the installation, for images of all types together", async () => {
    const site = await api.make("dcim/sites", named("Oslo"))
    const mib = (count: number, at: number) => Buffer.concat([gif(1, at), Buffer.alloc(count * 1024 * 1024)])
    const { json } = await create({ front_image: mib(9, 1), rear_image: mib(9, 2) })
    expect(json.front_image).not.toBeNull()
    const full = [expect.stringContaining("IMAGE_STORAGE_LIMIT")]
    expect(await create({ front_image: mib(5, 3), rear_image: mib(9, 4) })).toMatchObject({
      status: 400,
      json: { front_image: full }
    })
    const attachments = "/api/extras/image-attachments/"
    const attached = (count: number) =>
      send("POST", attachments, formWith({ content_type: "dcim.site", object_id: `${site}` }, { image: mib(count, 5) }))
    expect((await attached(9)).status).toBe(201)
    expect(await attached(9)).toMatchObject({ status: 400, json: { image: full } })
    // In place of one that it had.
    expect((await change(json.id, formWith({}, { rear_image: mib(9, 6) }))).status).toBe(200)
  })
})

describe("a reader", () => {
  it("gets images of device types that the reader may view, and writes none without the right", async () => {
    const [seen, hidden] = [await create({ front_image: gif(1, 1) }), await create({ front_image: gif(2, 2) })]
    const view = { types: ["dcim.devicetype"], actions: ["view"], constraints: { id: seen.json.id } }
    const reader = await makeUser(api, "viewer", view)
    expect((await get(seen.json.front_image, reader.token)).status).toBe(200)
    expect((await get(hidden.json.front_image, reader.token)).status).toBe(404)
    const form = formWith({}, { front_image: gif(1, 1) })
    expect((await send("PATCH", `${path}${seen.json.id}/`, form, reader.token)).status).toBe(403)
    const nobody = await fetch(seen.json.front_image!, { redirect: "manual" })
    expect([302, 401, 403]).toContain(nobody.status)
  })
})

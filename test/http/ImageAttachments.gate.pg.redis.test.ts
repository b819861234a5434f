/** Images of objects: uploads, what is stored of them, and how they are served. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { makeUser } from "../auth/Users.ts"
import { pixel } from "../support/AnyObject.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { formOf, gif, jpeg, png, webp } from "../support/Images.ts"

let api: Api
let token: string
let site: number

const path = "/api/extras/image-attachments/"
const limit = 16 * 1024 * 1024

beforeAll(async () => {
  api = await startApi({ IMAGE_STORAGE_LIMIT: "16 MiB" })
  token = await api.newToken()
  site = await api.make("dcim/sites", named("Oslo"))
})
afterAll(() => api.stop())

const send = async (method: string, to: string, body: FormData | string, key = token) => {
  const headers = {
    authorization: `Token ${key}`,
    ...(typeof body === "string" && { "content-type": "application/json" })
  }
  const response = await fetch(api.service.url + to, { method, headers, body })
  return { status: response.status, json: (await response.json()) as Json & { readonly id: number } }
}
const target = (id = site) => ({ content_type: "dcim.site", object_id: `${id}` })
const upload = (bytes: Uint8Array, name = "front.png", fields: Readonly<Record<string, string>> = target()) =>
  send("POST", path, formOf(fields, bytes, name))
const get = (address: string, key = token, headers = {}) =>
  fetch(address, { headers: { authorization: `Token ${key}`, ...headers }, redirect: "manual" })
const partCount = async () =>
  (await api.database.sql.query<{ readonly n: number }>("select count(*)::int as n from rackwire_image_part"))[0]!.n

describe("an image attachment", () => {
  it("is uploaded by a form, with its size read from the file, and served as it was sent", async () => {
    const { status, json } = await upload(png(640, 480), "Front view.PNG", { ...target(), name: "front" })
    expect(status).toBe(201)
    expect(json).toMatchObject({
      ...{ display: "front", content_type: "dcim.site", object_id: site, name: "front" },
      ...{ parent: { id: site, slug: "oslo" }, image_width: 640, image_height: 480 }
    })
    const address = String(json["image"])
    expect(address).toMatch(
      new RegExp(`^${api.service.url}/media/image-attachments/${json.id}/Front_view_\\w{10}\\.png$`)
    )
    const served = await get(address)
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(png(640, 480))
    expect(Object.fromEntries(served.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "content-disposition": `inline; filename="${address.split("/").at(-1)}"`,
      "content-security-policy": expect.stringMatching(/default-src 'none'; sandbox/) as string
    })
    const brief = (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `${path}?brief=1&id=${json.id}`))
      .json.results
    expect(brief).toEqual([{ id: json.id, url: json["url"], display: "front", name: "front", image: address }])
  })

  it("is served in parts, of any of the four kinds, whatever its name says", async () => {
    const big = Buffer.concat([png(8, 8), Buffer.alloc(700_000, "pixels")])
    const kinds = { "image/png": big, "image/jpeg": jpeg(3, 4), "image/gif": gif(5, 6), "image/webp": webp.lossy(7, 8) }
    for (const [type, bytes] of Object.entries(kinds)) {
      const { json } = await upload(bytes, "page.html")
      const served = await get(String(json["image"]))
      expect([served.headers.get("content-type"), Buffer.from(await served.arrayBuffer()).equals(bytes)]).toEqual([
        type,
        true
      ])
      await api.call("DELETE", `${path}${json.id}/`)
    }
  })

  it("keeps its image where a body has its address, and takes another one", async () => {
    const { json } = await upload(gif(1, 2))
    const same = await send("PUT", `${path}${json.id}/`, JSON.stringify({ ...json, name: "renamed" }))
    expect([same.status, same.json]).toMatchObject([200, { name: "renamed", image: json["image"], image_height: 2 }])
    const other = await send("PATCH", `${path}${json.id}/`, formOf({}, gif(3, 4), "x.gif"))
    expect([other.status, other.json]).toMatchObject([200, { name: "renamed", image_width: 3, image_height: 4 }])
    expect(other.json["image"]).not.toBe(json["image"])
    expect((await get(String(json["image"]))).status).toBe(404)
    expect(new Uint8Array(await (await get(String(other.json["image"]))).arrayBuffer())).toEqual(gif(3, 4))
    const text = await send("PATCH", `${path}${json.id}/`, JSON.stringify({ image: pixel, image_width: 99 }))
    expect([text.status, text.json]).toMatchObject([200, { image_width: 1, image_height: 1 }])
  })

  it("is deleted with its object, and its bytes with it", async () => {
    const place = await api.make("dcim/sites", named("Bergen"))
    const before = await partCount()
    const { json } = await upload(gif(1, 1), "x.gif", target(place))
    expect(await partCount()).toBe(before + 1)
    await api.call("DELETE", `/api/dcim/sites/${place}/`)
    expect((await api.call("GET", `${path}${json.id}/`)).status).toBe(404)
    expect(await partCount()).toBe(before)
  })

  it("has no bytes in the change log and in the publication", async () => {
    const marked = Buffer.concat([gif(1, 1), Buffer.from("MARK OF THE BYTES")])
    const { json } = await upload(marked)
    const changes = `/api/extras/object-changes/?changed_object_id=${json.id}&changed_object_type=extras.imageattachment`
    const texts = async () => (await api.call<List>("GET", changes)).text
    await expect.poll(texts).toContain('"create"')
    const text = await texts()
    expect(text).toContain('"image_width":1')
    for (const form of ["utf8", "base64", "hex"] as const)
      expect(text).not.toContain(Buffer.from("MARK OF").toString(form).slice(0, 9))
    const published = await api.database.sql.query<{ readonly tablename: string }>(
      "select tablename from pg_publication_tables"
    )
    const tables = new Set(published.map(({ tablename }) => tablename))
    expect([tables.has("extras_imageattachment"), tables.has("rackwire_image_part")]).toEqual([true, false])
  })
})

describe("an upload that is no image, or hostile", () => {
  it("is refused by its bytes and its size", async () => {
    const before = await partCount()
    const attacks: ReadonlyArray<readonly [bytes: Uint8Array, fault: RegExp]> = [
      [Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"), /Upload a valid image/],
      [Buffer.from("<html><script>alert(1)</script>"), /Upload a valid image/],
      [png(100_000, 100_000), /100000 x 100000 pixels/],
      [new Uint8Array(), /empty/]
    ]
    for (const [bytes, fault] of attacks) {
      const { status, json } = await upload(bytes, "x.png")
      expect([status, json]).toEqual([400, { image: [expect.stringMatching(fault)] }])
    }
    expect(await partCount()).toBe(before)
  })

  it("that is a page or a script too is an image alone, and its name has no folder", async () => {
    const polyglot = gif(10_799, 10, "=1;alert(1)//<html><script>alert(1)</script>")
    const { status, json } = await upload(polyglot, "../../../etc/x.html")
    expect(status).toBe(201)
    expect(String(json["image"])).toMatch(/\/media\/image-attachments\/\d+\/x_\w{10}\.gif$/)
    const served = await get(String(json["image"]), token, { accept: "text/html" })
    expect(served.headers.get("content-type")).toBe("image/gif")
    expect(served.headers.get("content-security-policy")).toContain("sandbox")
    for (const name of ["x.html", "..%2f..%2fx", "%00"]) {
      expect((await get(`${api.service.url}/media/image-attachments/${json.id}/${name}`)).status).toBe(404)
    }
  })

  it("is refused without a file, an object or a form that can be read", async () => {
    const refused = async (body: FormData | string) => (await send("POST", path, body)).json
    expect(await refused(formOf(target()))).toEqual({ image: ["No file was submitted."] })
    const text = { ...target(), image: "front_0123456789.png" }
    expect(await refused(JSON.stringify(text))).toEqual({ image: [expect.stringContaining("was not a file")] })
    expect(await refused(formOf({ ...target(), content_type: "dcim.nope" }, gif(1, 1)))).toHaveProperty("content_type")
    expect(await refused(formOf(target(999_999), gif(1, 1)))).toHaveProperty("object_id")
    const two = formOf(target(), gif(1, 1))
    two.append("image", new Blob(["x"]), "y.gif")
    expect(await refused(two)).toEqual({ detail: "The form has several files: image." })
    const many = formOf(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, "x"])), gif(1, 1))
    expect(await refused(many)).toEqual({ detail: "Multipart form parse error - MaxParts" })
    const headers = { authorization: `Token ${token}`, "content-type": "multipart/form-data" }
    expect((await fetch(api.service.url + path, { method: "POST", headers, body: "x" })).status).toBe(400)
    expect((await fetch(`${api.service.url}/api/dcim/sites/`, { method: "POST", headers, body: "x" })).status).toBe(415)
  })

  it("is refused beyond the limits of a body, an object and the installation", async () => {
    const large = await upload(new Uint8Array(11 * 1024 * 1024))
    expect([large.status, large.json]).toEqual([413, { detail: expect.stringContaining("exceeds") as string }])
    const place = await api.make("dcim/sites", named("Full"))
    const body = { content_type: "dcim.site", object_id: place, image: pixel }
    await api.makeAll(
      "extras/image-attachments",
      Array.from({ length: 50 }, () => body)
    )
    expect((await send("POST", path, JSON.stringify(body))).json).toEqual({
      object_id: ["An object has at most 50 images."]
    })
    const half = Buffer.concat([gif(1, 1), Buffer.alloc(limit / 2 - 100)])
    expect((await upload(half)).status).toBe(201)
    const over = await upload(Buffer.concat([half, Buffer.alloc(200)]))
    expect([over.status, over.json]).toEqual([
      400,
      { image: [expect.stringContaining("IMAGE_STORAGE_LIMIT") as string] }
    ])
  })
})

describe("readers", () => {
  it("a user who may not view an attachment gets no image, and one who may not add any attaches none", async () => {
    const [seen, hidden] = [await upload(gif(1, 1), "seen.gif"), await upload(gif(2, 2), "hidden.gif")]
    const view = { types: ["extras.imageattachment"], actions: ["view"], constraints: { id: seen.json.id } }
    const reader = await makeUser(api, "viewer", view)
    expect((await get(String(seen.json["image"]), reader.token)).status).toBe(200)
    expect((await get(String(hidden.json["image"]), reader.token)).status).toBe(404)
    expect((await send("POST", path, formOf(target(), gif(1, 1)), reader.token)).status).toBe(403)
    const nobody = await fetch(String(seen.json["image"]), { redirect: "manual" })
    expect([302, 401, 403]).toContain(nobody.status)
  })

  it("see images on the page of an object, and attach and delete them without a script", async () => {
    const browser = openBrowser(api.service.url)
    await browser.logIn()
    const place = await api.make("dcim/sites", named("Tromso"))
    const page = async () => (await browser.fetch(`/dcim/sites/${place}/`, { headers: { accept: "text/html" } })).text()
    const csrfmiddlewaretoken = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(await page())![1]!
    const submit = (fields: Readonly<Record<string, string>>, bytes: Uint8Array) =>
      browser.fetch("/extras/image-attachments/add/", { method: "POST", body: formOf(fields, bytes, "a.gif") })
    const fields = { csrfmiddlewaretoken, ...target(place), name: "gate <1>" }
    const attached = await submit(fields, gif(30, 20))
    expect([attached.status, attached.headers.get("location")]).toEqual([302, `/dcim/sites/${place}/`])
    const shown = await page()
    const [, src] = /<img[^>]*src="([^"]*)"[^>]*width="30"[^>]*height="20"/.exec(shown)!
    expect(shown).toContain('alt="gate &lt;1&gt;"')
    expect((await browser.fetch(src!)).headers.get("content-type")).toBe("image/gif")
    const wrong = await submit(fields, Buffer.from("<svg/>"))
    expect([wrong.status, await wrong.text()]).toEqual([
      400,
      expect.stringMatching(/No image was attached[^]*Upload a valid image/)
    ])
    expect((await submit({ ...fields, csrfmiddlewaretoken: "x" }, gif(1, 1))).status).toBe(403)
    const [, own] = /href="(\/extras\/image-attachments\/\d+\/)"/.exec(shown)!
    const edit = await (await browser.fetch(`${own!}edit/`)).text()
    expect([edit.includes('type="file"'), edit.includes("Remove the")]).toEqual([true, false])
    const other = formOf({ csrfmiddlewaretoken, name: "other" }, gif(7, 9), "b.gif")
    expect((await browser.fetch(`${own!}edit/`, { method: "POST", body: other })).status).toBe(302)
    expect(await (await browser.fetch(own!)).text()).toMatch(/<img[^>]*alt="other"[^>]*width="7"[^>]*height="9"/)
    const [, remove] = /href="(\/extras\/image-attachments\/\d+\/delete\/)"/.exec(shown)!
    await browser.submit(remove!, { confirmed: "1" })
    await expect.poll(page).not.toContain("<img")
  })
})

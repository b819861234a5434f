/** Pages of objects answer the forms that a reader sends, without a browser: bulk pages, pickers, previews, accounts. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type User, makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { type Fields, hidden, makeDevice, request } from "./Posting.ts"

let api: Api
let token: string

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
})
afterAll(() => api.stop())

const visit = (path: string, form?: Fields, accept?: string) => request(api, token, path, form, accept)

const get = async (path: string): Promise<Json> => (await api.call<Json>("GET", path)).json

const idsOf = (ids: ReadonlyArray<number>): Fields => ids.map((id) => ["id", `${id}`])

describe("the page that renames", () => {
  const path = "/dcim/sites/rename/"
  const makeSites = (...names: ReadonlyArray<string>) =>
    api.makeAll(
      "dcim/sites",
      names.map((name) => named(name))
    )

  it("shows the names that change, and writes them after the preview alone", async () => {
    const ids = await makeSites("ams-1", "ams-2", "other")
    const renaming: Fields = [...idsOf(ids), ["find", "ams"], ["replace", "fra"]]
    const { page } = await visit(path, [...renaming, ["step", "preview"]])
    expect(page).toContain("Rename 2 sites")
    expect(page).toContain("fra-1")
    const apply: Fields = [...renaming, ["step", "apply"], ["mark", hidden(page, "mark")]]
    const moved = await visit(path, [...apply, ["previewed", "of other names"]])
    expect([moved.status, (await get(`/api/dcim/sites/${ids[0]}/`))["name"]]).toEqual([409, "ams-1"])
    const done = await visit(path, [...apply, ["previewed", hidden(page, "previewed")]])
    expect([done.status, (await get(`/api/dcim/sites/${ids[0]}/`))["name"]]).toEqual([302, "fra-1"])
  })

  it("takes a pattern with groups, and says what is wrong with one", async () => {
    const ids = idsOf(await makeSites("rack-7"))
    const pattern = (find: string): Fields => [...ids, ["find", find], ["replace", "r\\1"], ["pattern", "1"]]
    expect((await visit(path, [...pattern("rack-(\\d)"), ["step", "preview"]])).page).toContain("r7")
    const wrong = await visit(path, [...pattern("rack-("), ["step", "preview"]])
    expect([wrong.status, wrong.page.includes("Not a pattern")]).toEqual([400, true])
  })

  it.each([
    ["", "Enter the text to find."],
    ["no such text", "No selected name would change."]
  ])("changes nothing for the text %j", async (find, problem) => {
    const ids = await makeSites(`still-${find.length}`)
    const { status, page } = await visit(path, [...idsOf(ids), ["find", find], ["step", "preview"]])
    expect([status, page.includes(problem)]).toEqual([400, true])
  })

  it("shows the object that would have a name that exists already", async () => {
    const [, free] = await makeSites("taken", "free")
    const renaming: Fields = [...idsOf([free!]), ["find", "free"], ["replace", "taken"]]
    const { status, page } = await visit(path, [...renaming, ["step", "preview"]])
    expect([status, page.includes(`<a href="/dcim/sites/${free}/">free</a>`)]).toEqual([400, true])
  })

  it("shows the form first", async () => {
    const { page } = await visit(path, idsOf(await makeSites("asked-for")))
    expect(page).toContain('name="find"')
  })
})

describe("the page that edits several objects", () => {
  const path = "/dcim/sites/edit/"
  let ids: ReadonlyArray<number>
  beforeAll(async () => {
    ids = await api.makeAll("dcim/sites", [
      { ...named("edit-1"), description: "before", facility: "F1" },
      { ...named("edit-2"), description: "after" }
    ])
    await api.makeAll("extras/tags", [named("Core"), named("Lab")])
  })

  it("shows the values before and after, and writes them after the preview alone", async () => {
    const edit: Fields = [...idsOf(ids), ["set-description", "after"], ["add-tags", "core"], ["empty", "facility"]]
    const { page } = await visit(path, [...edit, ["step", "preview"]])
    expect(page).toContain("before")
    const apply: Fields = [...edit, ["step", "apply"], ["mark", hidden(page, "mark")]]
    expect((await visit(path, [...apply, ["previewed", "other values"]])).page).toContain('name="previewed"')
    expect((await get(`/api/dcim/sites/${ids[0]}/`))["description"]).toBe("before")
    const done = await visit(path, [...apply, ["previewed", hidden(page, "previewed")]])
    expect(done.status).toBe(302)
    expect(await get(`/api/dcim/sites/${ids[0]}/`)).toMatchObject({
      ...{ description: "after", facility: "", tags: [{ slug: "core" }] }
    })
  })

  it.each([
    [[], "Fill in a field, or set one empty."],
    [[["set-description", "after"]], "have these values already"],
    [[["add-tags", "nope"]], "There is no tag nope."],
    [[["remove-tags", "nope, lab"]], "There is no tag nope."],
    [[["set-status", "no status"]], "Nothing can be changed, because 2 objects"]
  ] satisfies ReadonlyArray<[Fields, string]>)("changes nothing for %j", async (fields, problem) => {
    const { page } = await visit(path, [...idsOf(ids), ...fields, ["step", "preview"]])
    expect(page).toContain(problem)
  })

  it("changes no object to values that the user may not give", async () => {
    const limited = await makeUser(api, "bulk", {
      ...{ types: ["dcim.site"], actions: ["view", "change"], constraints: [{ status: "active" }] }
    })
    const fields: Fields = [...idsOf(ids), ["set-status", "planned"], ["step", "preview"]]
    expect((await request(api, limited.token, path, fields)).page).toContain("You may not give these values")
  })
})

describe("a picker without scripts", () => {
  const path = "/dcim/sites/add/"
  it("finds an object by its name, and fills it into the form", async () => {
    const region = await api.make("dcim/regions", named("Picked"))
    const cells: Fields = [["name", "of the form"]]
    const found = await visit(path, [...cells, ["_pick", "region"], ["_q", "picked"]])
    expect(found.page).toContain(`value="region:${region}"`)
    const chosen = await visit(path, [...cells, ["_picked", `region:${region}`]])
    expect(chosen.page).toMatch(new RegExp(`name="region"[^>]*value="${region}"`))
    expect(chosen.page).toContain("of the form")
  })

  it("adds an object whose form requires a name alone, and refuses others", async () => {
    const add = async (path: string, q: string) => {
      const { status, page } = await visit(path, [["q", q]], "application/json")
      return [status, JSON.parse(page)]
    }
    expect(await add("/dcim/regions/pick/", "At once")).toMatchObject([201, { display: "At once" }])
    expect(await add("/dcim/regions/pick/", "At once")).toMatchObject([
      400,
      { detail: expect.stringContaining("slug") }
    ])
    expect(await add("/dcim/devices/pick/", "sw-1")).toEqual([400, { detail: "Its form requires more than a name." }])
  })
})

describe("the preview of a form", () => {
  beforeAll(async () => {
    await api.makeAll("extras/custom-fields", [
      { name: "zone", type: "text", content_types: ["dcim.site"], default: "north" },
      { name: "kinds", type: "multiselect", content_types: ["dcim.site"], choices: ["a", "b"] },
      { name: "facts", type: "json", content_types: ["dcim.site"] }
    ])
    // Paused: nothing is sent after this file.
    const webhook = { content_types: ["dcim.site"], payload_url: "http://127.0.0.1:9/", paused: true }
    await api.make("extras/webhooks", { ...webhook, name: "on creation", type_create: true })
    await api.make("extras/webhooks", { ...webhook, name: "on change", type_update: true })
    await api.make("extras/webhooks", { ...webhook, name: "on deletion", type_delete: true })
  })

  const site: Fields = [
    ["name", "previewed"],
    ["slug", "previewed"],
    ["status", "active"],
    ["_preview", "1"]
  ]

  it("of a new object names the webhooks that would be called, and writes nothing", async () => {
    const { page } = await visit("/dcim/sites/add/", site)
    expect([page.includes("on creation"), page.includes("on change")]).toEqual([true, false])
    expect((await get("/api/dcim/sites/?name=previewed"))["count"]).toBe(0)
  })

  it("of a changed object shows the fields that change, custom ones too", async () => {
    const id = await api.make("dcim/sites", { ...named("old"), custom_fields: { kinds: ["a"], facts: { a: 1 } } })
    const shown = (await visit(`/dcim/sites/${id}/edit/`)).page
    const version: Fields = [["_version", hidden(shown, "_version")]]
    const { page } = await visit(`/dcim/sites/${id}/edit/`, [...site, ...version, ["cf_zone", "south"]])
    const preview = page.slice(page.indexOf('id="preview"'))
    expect(preview.slice(0, preview.indexOf("</section>"))).toMatch(/Name[^]*old[^]*previewed[^]*Zone[^]*south/i)
    expect(page).toContain("on change")
    expect((await get(`/api/dcim/sites/${id}/`))["name"]).toBe("old")
  })

  it("of a deletion names the webhook that would be called", async () => {
    const id = await api.make("dcim/sites", named("deleted"))
    const { page } = await visit(`/dcim/sites/${id}/delete/`, [["_preview", "1"]])
    expect(page).toContain("on deletion")
    expect((await visit(`/dcim/sites/${id}/`)).status).toBe(200)
  })

  it("of several objects names each, and shows the first", async () => {
    const fields: Fields = [
      ["device", `${await makeDevice(api, "with ports")}`],
      ["name", "eth[0-2]"],
      ["type", "virtual"]
    ]
    const { page } = await visit("/dcim/interfaces/add/", [...fields, ["_preview", "1"]])
    expect(page).toContain("3 objects")
    const made = await visit("/dcim/interfaces/add/", fields)
    expect([made.status, made.location]).toEqual([302, "/dcim/interfaces/?ordering=-id"])
    const again = await visit("/dcim/interfaces/add/", fields)
    expect(again.page).toContain("The first wrong one is eth0.")
    const more = await visit("/dcim/interfaces/add/", [["name", "eth[0-9999]"]])
    expect(more.page).toContain("these make more")
  })
})

describe("the pages of accounts", () => {
  let user: User
  let permission: number
  beforeAll(async () => {
    user = await makeUser(api, "looked-at", { types: ["dcim.region"], actions: ["view"] })
    const { results } = (await get(`/api/users/permissions/?user_id=${user.id}`)) as {
      readonly results: ReadonlyArray<{ readonly id: number }>
    }
    permission = results[0]!.id
  })

  it("show the permissions of a user, and what they open", async () => {
    const { page } = await visit(`/users/users/${user.id}/`)
    expect([page.includes("Effective permissions"), page.includes("Sees")]).toEqual([true, true])
  })

  it("show the holders of a permission, and what a user would see", async () => {
    const path = `/users/permissions/${permission}/`
    expect((await visit(path)).page).toContain(`href="/users/users/${user.id}/"`)
    expect((await visit(`${path}?user=looked-at`)).page).toMatch(/looked-at<\/a> \w+ this permission/)
    expect((await visit(`${path}?user=admin`)).page).toMatch(/admin<\/a> does not \w+ this permission/)
    expect((await visit(`${path}?user=nobody`)).page).toContain("There is no user of this name")
  })

  it("change a token, and say what is wrong with its fields", async () => {
    const path = `/users/users/${user.id}/tokens/`
    const made = await api.call<{ readonly id: number }>("POST", "/api/users/tokens/", { user: user.id })
    const edit = `${path}${made.json.id}/edit/`
    const wrong = await visit(edit, [["allowed_ips", "nowhere"]])
    expect([wrong.status, wrong.page.includes("nowhere")]).toEqual([400, true])
    const saved = await visit(edit, [["description", "for scripts"]])
    expect([saved.status, await get(`/api/users/tokens/${made.json.id}/`)]).toMatchObject([
      302,
      { description: "for scripts", write_enabled: false }
    ])
    const refused = await visit(path, [["expires", "never"]])
    expect(refused.page).toContain("never")
  })
})

/** The rows of the change log: what each change changed, in words, with filters. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type User, makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { eventually } from "../support/Eventually.ts"
import { type Json, type List, named } from "../support/Client.ts"

let api: Api
let admin: string
let site: number
let reader: User

const hostile = `"><img src=x onerror=alert(1)>`

beforeAll(async () => {
  api = await sharedApi()
  admin = await api.newToken()
  const [nordic, baltic] = await api.makeAll("dcim/regions", [named("Nordic"), named("Baltic")])
  await api.makeAll("extras/tags", [named("Core"), named("Edge"), { ...named("Secret"), description: "secret" }])
  await api.make("extras/custom-fields", { name: "contract", type: "json", content_types: ["dcim.site"] })
  site = await api.make("dcim/sites", {
    ...{ ...named("Oslo"), status: "planned", region: nordic, tags: [{ name: "Core" }] },
    custom_fields: { contract: { term: 12 } }
  })
  reader = await makeUser(
    api,
    "reader",
    { types: ["dcim.site", "extras.objectchange"], actions: ["view"] },
    { types: ["extras.tag"], actions: ["view"], constraints: { description: "" } }
  )
  const patch = (body: Json) => api.call("PATCH", `/api/dcim/sites/${site}/`, body)
  await patch({ status: "active", region: baltic, changelog_message: "opens in May" })
  await patch({ tags: [{ name: "Edge" }], custom_fields: { contract: { term: 24 } } })
  await patch({
    description: hostile,
    facility: "A",
    physical_address: "x".repeat(150),
    time_zone: "Europe/Oslo",
    latitude: 60
  })
  await patch({ tags: [{ name: "Edge" }, { name: "Secret" }] })
  await patch({ comments: "a b ".repeat(200_000) })
  await eventually("all changes are in the log", async () => {
    const { json } = await api.call<List>(
      "GET",
      `/api/extras/object-changes/?changed_object_id=${site}&changed_object_type=dcim.site`
    )
    return json.count === 6 ? true : undefined
  })
})
afterAll(() => api.stop())

const pageFor = async (token: string, path: string) => {
  const response = await fetch(api.service.url + path, {
    headers: { authorization: `Token ${token}`, accept: "text/html" }
  })
  return await response.text()
}

/** The words of each change, the newest first. */
const wordsIn = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/did-cell">(.*?)<\/(?:td|div)>/gs)].map(([, cell]) =>
    cell!
      .replaceAll(/<\/li>\s*(?=<li)/g, "; ")
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/\s+/g, " ")
      .trim()
  )

const tab = () => `/dcim/sites/${site}/changelog/`

describe("a row of the change log", () => {
  it("says what changed: the status first, names for ids, and how much more there is", async () => {
    const words = wordsIn(await pageFor(admin, tab()))
    expect(words).toHaveLength(6)
    expect([words[0], words[1], words[3], words[4], words[5]]).toEqual([
      "",
      "Tags + Secret",
      "Tags − Core, + Edge; custom_fields.contract.term 12 → 24",
      "Status Planned → Active; Region Nordic → Baltic opens in May",
      ""
    ])
    expect(words[2]).toMatch(/Facility — → A.*; and 2 more$/)
    expect(words[2]!.length).toBeLessThan(200)
  })

  it("says the same in the list and on the home page, and never as markup", async () => {
    const list = await pageFor(admin, `/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=${site}`)
    expect(wordsIn(list)[4]).toBe("site Oslo Status Planned → Active; Region Nordic → Baltic opens in May")
    expect(wordsIn(await pageFor(admin, "/")).some((words) => words.includes("Status Planned → Active"))).toBe(true)
    expect(list).not.toContain("<img")
  })

  it("hides names of regions and tags that the reader may not view", async () => {
    const words = wordsIn(await pageFor(reader.token, tab()))
    expect(words[1]).toBe("")
    expect(words[4]).toMatch(/^Status Planned → Active; Region #\d+ → #\d+ opens in May$/)
    expect(words.join(" ")).not.toContain("Secret")
  })

  it("is found by its field, user and time", async () => {
    const count = async (query: string, token = admin) => wordsIn(await pageFor(token, `${tab()}?${query}`)).length
    expect(await count("changed_field=status")).toBe(1)
    expect(await count("changed_field=tags")).toBe(2)
    expect(await count("changed_field=tags", reader.token)).toBe(1)
    expect(await count("user_name=admin&time__gte=2020-01-01")).toBe(6)
    expect([await count("user_name=nobody"), await count("time__lt=2020-01-01")]).toEqual([0, 0])
    expect(await pageFor(admin, `${tab()}?time__gte=yesterday`)).toContain('role="alert"')
    const list = "/extras/object-changes/"
    const form = await pageFor(admin, `${list}?changed_object_type=dcim.site&changed_field=custom`)
    expect(wordsIn(form)).toHaveLength(1)
    expect(/<option value="dcim\.site"\s+selected\s*>Site</.test(form)).toBe(true)
    for (const name of ["time__gte", "time__lt", "changed_field", "user_name"]) expect(form).toContain(`name="${name}"`)
  })
})

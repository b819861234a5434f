/** The roots of the API, its content types, and its plugins, as clients of NetBox expect them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { thorough } from "../support/Seed.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

const get = async <A = Json>(path: string) => (await api.call<A>("GET", path)).json

describe("the root of the API", () => {
  it("has the apps of NetBox, the status and the plugins, and each of them answers", async () => {
    const root = await get<Readonly<Record<string, string>>>("/api/")
    const apps = "circuits core dcim extras ipam plugins status tenancy users virtualization wireless"
    expect(Object.keys(root)).toEqual(apps.split(" "))
    for (const [name, url] of Object.entries(root)) {
      expect(url).toBe(`${api.service.url}/api/${name}/`)
      expect((await api.call("GET", `/api/${name}/`)).status).toBe(200)
    }
  })

  thorough("has an address for each list of an app, and each of them answers", async () => {
    const apps = [...new Set([...registry.values()].map(({ app }) => app)), "core", "wireless"]
    const lists = (await Promise.all(apps.map((app) => get(`/api/${app}/`)))).flatMap((each) => Object.entries(each))
    expect(lists.map(([, url]) => url)).toEqual(
      expect.arrayContaining([...registry.values()].map(({ path }) => api.service.url + path))
    )
    for (const [name, url] of lists) {
      expect(String(url).split("/").at(-2)).toBe(name)
      expect([url, (await api.call("GET", String(url).slice(api.service.url.length))).status]).toEqual([url, 200])
    }
  })
})

describe("content types", () => {
  const path = "/api/extras/content-types/"
  interface Page {
    readonly count: number
    readonly next: string | null
    readonly results: ReadonlyArray<Json>
  }

  it("are the object types, by app and model", async () => {
    const { count, results } = await get<Page>(`${path}?limit=0`)
    const names = results.map(({ app_label, model }) => `${String(app_label)}.${String(model)}`)
    expect([count, names.toSorted()]).toEqual([registry.size, [...registry.keys()].sort()])
    const site = results.find(({ model }) => model === "site")!
    expect(site).toMatchObject({ display: "dcim | site", app_label: "dcim" })
    expect(await get(String(site["url"]).slice(api.service.url.length))).toEqual(site)
    expect((await api.call("GET", `${path}1/`)).status).toBe(404)
    expect((await api.call("POST", path, {})).status).toBe(405)
  })

  it("have the same number in every installation", async () => {
    const { results } = await get<Page>(`${path}?app_label=dcim&model=site`)
    expect(results.map(({ id }) => id)).toEqual([1_914_177_915])
  })

  it("are filtered and read in pages", async () => {
    const { results } = await get<Page>(`${path}?app_label=dcim&model=site&model=rack`)
    expect(results.map(({ model }) => model)).toEqual(["rack", "site"])
    expect((await get<Page>(`${path}?id=${String(results[0]!["id"])}`)).results).toEqual([results[0]])
    const found = await get<Page>(`${path}?q=SITE&limit=1`)
    expect([found.count > 1, found.results.length, found.next]).toEqual([true, 1, expect.stringContaining("offset=1")])
  })
})

describe("the installed plugins", () => {
  const path = "/api/plugins/installed-plugins/"

  it("are listed for staff, with NetBox's keys", async () => {
    const plugins = await get<ReadonlyArray<Json>>(path)
    expect(plugins.find(({ name }) => name === "slack")).toEqual({
      ...{ name: "slack", package: "slack", author: "", author_email: "", version: "" },
      description: "A message for a Slack channel."
    })
    expect((await get("/api/plugins/"))["installed-plugins"]).toBe(api.service.url + path)
    const staff = await makeUser(api, "staff")
    expect((await staff.call("GET", path)).status).toBe(403)
    await api.call("PATCH", `/api/users/users/${staff.id}/`, { is_staff: true })
    expect((await staff.call("GET", path)).status).toBe(200)
    expect((await api.raw("GET", path)).status).toBe(403)
  })
})

describe("the description", () => {
  it.each([
    ["?format=json", "application/yaml", "application/vnd.oai.openapi+json"],
    ["?format=json", "*/*", "application/vnd.oai.openapi+json"],
    ["?format=yaml", "application/json", "application/vnd.oai.openapi"],
    ["", "application/json", "application/json"]
  ])("%s for a client that accepts %s is %s", async (query, accept, type) => {
    const reply = await fetch(`${api.service.url}/api/schema/${query}`, { headers: { accept } })
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, type])
    const text = await reply.text()
    expect(text.startsWith(type.endsWith("json") ? "{" : "openapi:")).toBe(true)
  })
})

describe("what is left out by decision", () => {
  it.each([
    ["GET", "/graphql/", /GraphQL/],
    ["POST", "/graphql/", /GraphQL/],
    ["GET", "/api/core/data-sources/", /Data sources/],
    ["POST", "/api/core/data-sources/1/sync/", /Data sources/],
    ["GET", "/api/core/jobs/?limit=1", /Jobs/],
    ["GET", "/api/extras/reports/a.b/", /Reports/],
    ["GET", "/api/extras/scripts", /scripts/]
  ])("answers 501 to %s %s, with the reason", async (method, path, reason) => {
    const { status, json } = await api.call<Json>(method, path, method === "POST" ? {} : undefined)
    expect([status, json]).toEqual([501, { detail: expect.stringMatching(reason) as string }])
  })

  it("answers 404 to similar paths", async () => {
    for (const path of ["/graphqlx/", "/api/core/jobsx/", "/api/extras/x/reports/"])
      expect((await api.call("GET", path)).status).toBe(404)
  })
})

/** Errors of pages, for browsers and for programs; and what a user may not see. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
  await api.call("POST", "/api/dcim/sites/", [
    { ...named("Seen"), status: "active" },
    { ...named("Hidden"), status: "planned" }
  ])
  const sites = await api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>(
    "GET",
    "/api/dcim/sites/?name=Seen"
  )
  await api.call("POST", "/api/dcim/locations/", { ...named("Room"), site: sites.json.results[0]!.id })
})
afterAll(() => api.stop())

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(api.service.url + path, { headers, redirect: "manual" })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const html = { accept: "text/html" }

describe("an error of a page", () => {
  it("is a page with the request id, and no way to read it leads to markup", async () => {
    for (const [path, status] of [
      ["/nothing/<script>/", 404],
      ["/dcim/sites/99999/", 404]
    ] as const) {
      const reply = await get(path, { ...html, authorization: `Token ${await api.newToken()}` })
      expect([path, reply.status, reply.headers.get("content-type")]).toEqual([path, status, "text/html"])
      expect(reply.text).toContain(reply.headers.get("x-request-id"))
      expect(reply.text).not.toContain("<script>/")
    }
  })

  it("is JSON for those who do not ask for HTML", async () => {
    const reply = await get("/dcim/sites/", { accept: "application/json" })
    expect([reply.status, reply.headers.get("content-type")]).toEqual([403, "application/json"])
  })

  it("of a path that does not exist is JSON too", async () => {
    const reply = await fetch(`${api.service.url}/graphiql/`, {
      ...{ method: "POST", body: `{"query": "{ site_list { name } }"}` },
      headers: { accept: "application/json", "content-type": "application/json" }
    })
    expect([reply.status, await reply.json()]).toEqual([404, { detail: "Not found." }])
  })

  it("of a reader who is not logged in leads to the login", async () => {
    const reply = await get("/dcim/sites/?q=x", html)
    expect([reply.status, reply.headers.get("location")]).toEqual([302, "/login/?next=%2Fdcim%2Fsites%2F%3Fq%3Dx"])
  })
})

describe("a reader who is not logged in", () => {
  it("gets the login instead of an empty home page", async () => {
    const reply = await get("/", html)
    expect([reply.status, reply.headers.get("location")]).toEqual([302, "/login/?next=%2F"])
  })

  it("keeps the user name after a wrong password, and goes on with the password", async () => {
    const reply = await openBrowser(api.service.url).logIn(`o"lsen`, "wrong")
    const page = await reply.text()
    expect(page).toMatch(/name="username"\s+value="o&quot;lsen"/)
    expect(/<input\s+name="password"[^>]*>/.exec(page)![0]).toContain("autofocus")
    expect(page.match(/autofocus/g)).toHaveLength(1)
  })
})

describe("a page that its reader may not see", () => {
  it("names the user and the permission, as the page of the API does", async () => {
    const user = await makeUser(api, "unprivileged", { types: ["dcim.site"], actions: ["view"] })
    const [seen] = (await api.call<{ results: ReadonlyArray<{ id: number }> }>("GET", "/api/dcim/sites/")).json.results
    for (const [path, permission] of [
      ["/dcim/devices/", /view\s+Devices<\/b>\s*\(<code>dcim\.device</],
      ["/dcim/sites/add/", /add\s+Sites<\/b>\s*\(<code>dcim\.site</],
      [`/dcim/sites/${seen!.id}/journal/`, /view\s+Journal entries<\/b>\s*\(<code>extras\.journalentry</]
    ] as const) {
      const reply = await get(path, { ...html, authorization: `Token ${user.token}` })
      expect([path, reply.status, reply.text]).toEqual([path, 403, expect.stringMatching(permission)])
      expect(reply.text).toContain("You are logged in as <b>unprivileged</b>")
    }
    const json = await api.raw("GET", "/api/dcim/devices/", undefined, user.token)
    expect(json.json).toEqual({ detail: "You do not have permission to perform this action." })
  })
})

describe("a user who may view some objects only", () => {
  it("sees these in lists, counts, search and related objects, and no others", async () => {
    const user = await makeUser(api, "some", {
      types: ["dcim.site"],
      actions: ["view"],
      constraints: { status: "active" }
    })
    const read = (path: string) => get(path, { ...html, authorization: `Token ${user.token}` })
    const list = await read("/dcim/sites/")
    expect(list.text).toContain("Seen")
    expect(list.text).not.toContain("Hidden")
    expect(list.text).toContain("1–1 of 1")
    const home = await read("/")
    expect(home.text).toMatch(/href="\/dcim\/sites\/"\s*>Sites<span class="cnt"\s*>1</)
    expect(home.text).not.toContain("/dcim/devices/")
    expect((await read("/search/?q=d")).text).not.toContain("Hidden")
    const [seen, hidden] = await Promise.all(
      ["Seen", "Hidden"].map(async (name) => {
        const found = await api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>(
          "GET",
          `/api/dcim/sites/?name=${name}`
        )
        return found.json.results[0]!.id
      })
    )
    expect((await read(`/dcim/sites/${hidden}/`)).status).toBe(404)
    const page = await read(`/dcim/sites/${seen}/`)
    expect(page.status).toBe(200)
    // There is a location in it, which this user may not view.
    expect(page.text).not.toContain("/dcim/locations/")
    expect((await read("/dcim/devices/")).status).toBe(403)
  })
})

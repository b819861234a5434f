/** The API in a browser and for programs: nobody gets a page who does not ask for one, and forms count in sessions only. */
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { type Json, type List, named, password } from "../support/Client.ts"
import { thorough } from "../support/Seed.ts"

const sites = "/api/dcim/sites/"
const html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

let api: Api
let site: number
let viewer: string

beforeAll(async () => {
  api = await startApiAlone({ EXEMPT_VIEW_PERMISSIONS: "extras.tag" })
  site = await api.make("dcim/sites", named("Here"))
  viewer = (await makeUser(api, "viewer", { types: ["dcim.site"], actions: ["view"] })).token
})
afterAll(() => api.stop())

interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Without a header that nobody asked for: `fetch` adds `Accept`. */
const send = ({ method = "GET", path, headers = {}, body = "" }: Sent) =>
  new Promise<{ readonly status: number; readonly type: string | undefined; readonly text: string }>(
    (resolve, reject) => {
      const asked = request(api.service.url + path, { method, headers }, (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part: Buffer) => parts.push(part))
        response.on("end", () =>
          resolve({
            status: response.statusCode!,
            type: response.headers["content-type"],
            text: Buffer.concat(parts).toString()
          })
        )
      })
      asked.on("error", reject)
      asked.end(body)
    }
  )

const json = { "content-type": "application/json" }

/** A request for each kind of answer, and its status. */
const everyAnswer = (): ReadonlyArray<readonly [status: number, sent: Sent, type?: string]> => {
  const own = { authorization: `Token ${viewer}` }
  return [
    [200, { path: "/api/" }],
    [200, { path: "/api/extras/tags/" }],
    [200, { path: `${sites}?limit=1`, headers: own }],
    [200, { path: `${sites}${site}/`, headers: own }],
    [200, { path: sites, method: "OPTIONS", headers: own }],
    [400, { path: `${sites}?status=nowhere`, headers: own }],
    [400, { path: `${sites}?name=%00`, headers: own }],
    [400, { path: "/api/users/tokens/provision/", method: "POST", headers: json, body: "{" }],
    [403, { path: sites }],
    [403, { path: sites, headers: { authorization: "Token nobody" } }],
    [403, { path: sites, method: "POST", headers: { ...own, ...json }, body: "{}" }],
    [404, { path: "/api/nothing/", headers: own }],
    [404, { path: "/api/nothing/" }],
    [404, { path: `${sites}99999/`, headers: own }],
    [405, { path: "/api/extras/tags/", method: "TRACE" }],
    [405, { path: "/api/users/tokens/provision/" }],
    [
      415,
      { path: "/api/users/tokens/provision/", method: "POST", headers: { "content-type": "text/plain" }, body: "x" }
    ]
  ]
}

const accepts = [undefined, "*/*", "application/json", "application/json, text/plain, */*", "application/*"]

describe("a program", () => {
  test.each(accepts)("that accepts %s gets JSON, whatever the answer is", async (accept) => {
    for (const [status, sent] of everyAnswer()) {
      const reply = await send({ ...sent, headers: { ...sent.headers, ...(accept !== undefined && { accept }) } })
      expect([sent.path, sent.method, reply.status, reply.type]).toEqual([
        sent.path,
        sent.method,
        status,
        "application/json"
      ])
    }
  })

  test("that sends a token gets JSON even if it asks for HTML, as Java's client does by itself", async () => {
    for (const [status, sent] of everyAnswer().filter(([, { headers }]) => headers?.["authorization"])) {
      const reply = await send({ ...sent, headers: { ...sent.headers, accept: html } })
      expect([sent.path, reply.status, reply.type]).toEqual([sent.path, status, "application/json"])
    }
  })

  test("that writes gets JSON even if it asks for HTML", async () => {
    const body = JSON.stringify({ username: "nobody", password: "x" })
    const reply = await send({
      ...{ path: "/api/users/tokens/provision/", method: "POST", body },
      headers: { ...json, accept: html }
    })
    expect([reply.status, reply.type]).toEqual([403, "application/json"])
  })
})

describe("a browser", () => {
  thorough("gets a page with the status of the answer, or is led to the login", async () => {
    for (const [path, status, type] of [
      ["/api/", 200, "text/html"],
      ["/api/extras/tags/", 200, "text/html"],
      ["/api/extras/tags/?color=%00", 400, "text/html"],
      ["/api/nothing/", 404, "text/html"],
      ["/api/extras/tags/99999/", 404, "text/html"],
      ["/api/users/tokens/provision/", 405, "text/html"],
      ["/api/extras/tags/?format=json", 200, "application/json"],
      ["/api/schema/", 200, "application/vnd.oai.openapi+json"]
    ] as const) {
      const reply = await send({ path, headers: { accept: html } })
      expect([path, reply.status, reply.type]).toEqual([path, status, type])
    }
    const led = await fetch(`${api.service.url}${sites}?q=x`, { headers: { accept: html }, redirect: "manual" })
    expect([led.status, led.headers.get("location")]).toEqual([302, "/login/?next=%2Fapi%2Fdcim%2Fsites%2F%3Fq%3Dx"])
  })

  test("gets the page under the content security policy, and no cache keeps it for a program", async () => {
    const { headers } = await fetch(`${api.service.url}/api/extras/tags/`, { headers: { accept: html } })
    expect(headers.get("content-security-policy")).toContain("script-src 'self'")
    expect([headers.get("cache-control"), headers.get("vary")]).toEqual(["no-store", "Accept, Authorization, Cookie"])
    expect([headers.get("etag"), headers.get("api-version")]).toEqual([null, null])
    const head = await fetch(`${api.service.url}/api/extras/tags/`, { method: "HEAD", headers: { accept: html } })
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/html"])
  })
})

const form = { "content-type": "application/x-www-form-urlencoded" }

/** How many sites there are. */
const count = async () => (await api.call<List>("GET", `${sites}?limit=1`)).json.count

describe("a form that stands for another request", () => {
  const deletion = new URLSearchParams({ _method: "DELETE" }).toString()

  test("changes nothing without a session, without the CSRF token, or with another one", async () => {
    const before = await count()
    const browser = openBrowser(api.service.url)
    await browser.logIn()
    const headers = { ...form, accept: html }
    const path = `${sites}${site}/`
    const anonymous = await send({ path, method: "POST", headers, body: deletion })
    expect([anonymous.status, anonymous.type]).toEqual([403, "text/html"])
    // A route that asks for no session does not take a form either: another site could have sent it.
    const credentials = JSON.stringify({ username: "admin", password })
    const body = new URLSearchParams({ _method: "POST", _content: credentials }).toString()
    const provision = await send({ path: "/api/users/tokens/provision/", method: "POST", headers, body })
    expect([provision.status, provision.type]).toEqual([403, "text/html"])
    for (const token of ["", "&csrfmiddlewaretoken=", "&csrfmiddlewaretoken=x"]) {
      const reply = await browser.fetch(path, { method: "POST", headers, body: deletion + token })
      expect([token, reply.status]).toEqual([token, 403])
      expect(await reply.text()).toContain("CSRF Failed")
    }
    expect(await count()).toBe(before)
  })

  test("is no form to the API for anybody who does not ask for a page", async () => {
    const before = await count()
    const browser = openBrowser(api.service.url)
    await browser.logIn()
    const csrf = browser.cookies.get("csrftoken")!
    const body = `${deletion}&csrfmiddlewaretoken=${csrf}`
    const reply = await browser.fetch(`${sites}${site}/`, { method: "POST", headers: form, body })
    expect([reply.status, reply.headers.get("content-type")]).toEqual([405, "application/json"])
    const posted = await browser.fetch(sites, { method: "POST", headers: form, body })
    expect([posted.status, posted.headers.get("content-type")]).toEqual([415, "application/json"])
    expect(await count()).toBe(before)
  })

  test("is refused if it is larger than it may be, in words", async () => {
    const browser = openBrowser(api.service.url)
    await browser.logIn()
    const body = `_content=${"x".repeat(300 * 1024)}`
    const reply = await browser.fetch(sites, { method: "POST", headers: { ...form, accept: html }, body })
    expect([reply.status, reply.headers.get("content-type")]).toEqual([413, "text/html"])
    expect(await reply.text()).toContain("The request body exceeds 256 KiB.")
  })

  test("writes what stands in it, and shows the answer", async () => {
    const browser = openBrowser(api.service.url)
    await browser.logIn()
    const submit = (path: string, method: string, fields: Json, content?: Json) => {
      const body = new URLSearchParams({
        ...{ _method: method, csrfmiddlewaretoken: browser.cookies.get("csrftoken")! },
        ...(content !== undefined && { _content: JSON.stringify(content) }),
        ...(fields as Record<string, string>)
      })
      return browser.fetch(path, { method: "POST", headers: { ...form, accept: html }, body: body.toString() })
    }
    const made = await submit(sites, "POST", {}, named("There"))
    expect([made.status, await made.text()]).toEqual([201, expect.stringContaining("HTTP 201 Created")])
    const { results } = (await api.call<List>("GET", `${sites}?name=There`)).json
    const path = `${sites}${results[0]!.id}/`
    expect((await submit(path, "PATCH", {}, { facility: "F1" })).status).toBe(200)
    expect((await submit(path, "PATCH", { _if_match: 'W/"of another time"' }, { facility: "F2" })).status).toBe(412)
    expect((await api.call("GET", path)).json["facility"]).toBe("F1")
    const described = await submit(path, "OPTIONS", {})
    expect([described.status, await described.text()]).toEqual([200, expect.stringContaining("max_length")])
    const gone = await submit(path, "DELETE", {})
    expect([gone.status, await gone.text()]).toEqual([200, expect.stringContaining("HTTP 204 No Content")])
    expect((await api.call("GET", path)).status).toBe(404)
  })
})

/** Writes of accounts and secrets by a session whose user has not confirmed for five minutes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { routes } from "../../../src/Service.ts"
import { type Api, startApiAlone } from "../../support/Api.ts"
import { type List, named, password } from "../../support/Client.ts"
import { type Browser, openBrowser } from "../Browser.ts"

let api: Api
let visitor: Browser
let webhook: number
let site: number

beforeAll(async () => {
  api = await startApiAlone({ LOGIN_ATTEMPTS_PER_USER: "100" })
  const body = { name: "w", content_types: ["dcim.site"], type_create: true, payload_url: "http://127.0.0.1:9/" }
  webhook = await api.make("extras/webhooks", { ...body, enabled: false })
  site = await api.make("dcim/sites", named("Oslo"))
  visitor = openBrowser(api.service.url)
  await visitor.logIn()
})

afterAll(() => api.stop())

const confirmedAt = (time: string) => api.database.superuser.query(`update rackwire_session set confirmed = ${time}`)

beforeEach(() => confirmedAt("now() - interval '301 seconds'"))

const token = () => visitor.cookies.get("csrftoken")!

const post = (path: string, fields: Readonly<Record<string, string>> | URLSearchParams) => {
  const body = new URLSearchParams(fields)
  if (!body.has("csrfmiddlewaretoken")) body.set("csrfmiddlewaretoken", token())
  return visitor.fetch(path, { method: "POST", body, headers: { accept: "text/html" } })
}

const call = (method: string, path: string, body?: unknown) =>
  visitor.fetch(path, {
    ...{ method, headers: { "x-csrftoken": token(), "content-type": "application/json" } },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })

/** The inputs of the first form of a page that has this field. */
const inputsOf = (page: string): URLSearchParams => {
  const fields = new URLSearchParams()
  for (const [, name = "", value = ""] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g))
    if (!fields.has(name)) fields.set(name, value)
  return fields
}

const groups = async () =>
  (await api.call<List>("GET", "/api/users/groups/?limit=0")).json.results.map((group) => String(group["name"]))

describe("a session of more than five minutes", () => {
  it("reaches no handler of an account that writes, and every other one as before", async () => {
    const wrong: Array<string> = []
    for (const { path: pattern, methods, access, changesSecrets } of routes) {
      if (typeof access !== "object") continue
      const isCritical = access.kind === "account" || changesSecrets === true
      const path = pattern.replaceAll(/:\w+/g, "999999")
      for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
        if (methods[method] === undefined || !(isCritical || path.includes("/sites/"))) continue
        const isApi = path.startsWith("/api/")
        const answer = await (isApi ? call(method, path, {}) : post(path, {}))
        const text = await answer.text()
        const isLed = text.includes("/user/confirm/") || answer.headers.get("location")?.startsWith("/user/confirm/")
        if ((isLed === true) !== isCritical) wrong.push(`${method} ${path}: ${answer.status}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it("keeps the form, and continues with it after the password", async () => {
    const refused = await post("/users/groups/add/", { name: "kept group" })
    const page = await refused.text()
    expect([refused.status, page.includes("kept group"), await groups()]).toEqual([403, true, []])
    const wrong = await post("/user/confirm/", new URLSearchParams([...inputsOf(page), ["password", "wrong"]]))
    const again = await wrong.text()
    expect([again.includes("This is not your password"), again.includes("kept group")]).toEqual([true, true])
    const right = await post("/user/confirm/", new URLSearchParams([...inputsOf(again), ["password", password]]))
    const led = await right.text()
    expect([led.includes("Continue with the form"), await groups()]).toEqual([true, []])
    const shown = await (await post("/users/groups/add/", inputsOf(led))).text()
    expect([shown.includes('value="kept group"'), await groups()]).toEqual([true, []])
    expect((await post("/users/groups/add/", { name: "kept group" })).status).toBe(302)
    expect(await groups()).toEqual(["kept group"])
  })

  it("is led back to the page of a form that is not kept", async () => {
    const [row] = (await api.call<List>("GET", "/api/users/users/?username=admin")).json.results
    const path = `/users/users/${row!.id}/password/`
    const refused = await post(path, { new_password: "another long one" })
    expect([refused.status, refused.headers.get("location")]).toEqual([
      302,
      `/user/confirm/?${new URLSearchParams({ next: path })}`
    ])
    expect((await openBrowser(api.service.url).logIn()).status).toBe(302)
  })

  it("changes a webhook, and not its secrets", async () => {
    const path = `/api/extras/webhooks/${webhook}/`
    expect((await call("PATCH", path, { name: "renamed", secret: "" })).status).toBe(200)
    for (const field of ["secret", "previous_secret", "client_key", "oauth_client_secret"]) {
      const refused = await call("PATCH", path, { [field]: "x" })
      expect([field, refused.status, await refused.text()]).toEqual([
        field,
        403,
        expect.stringContaining("/user/confirm/")
      ])
    }
    const bulk = await call("PATCH", "/api/extras/webhooks/", [{ id: webhook, secret: "x" }])
    expect(bulk.status).toBe(403)
    const form = await post(`/extras/webhooks/${webhook}/edit/`, { secret: "typed secret" })
    expect([form.status, await form.text()]).toEqual([403, expect.stringContaining("Confirm that it is you")])
    const rotated = await post(`/extras/webhooks/${webhook}/rotate/`, {})
    expect(rotated.headers.get("location")).toMatch(/^\/user\/confirm\//)
    await confirmedAt("now()")
    expect((await call("PATCH", path, { secret: "a secret of the test" })).status).toBe(200)
  })

  it("changes everything else, and accounts after a confirmation", async () => {
    expect((await call("PATCH", `/api/dcim/sites/${site}/`, { description: "changed" })).status).toBe(200)
    expect((await call("POST", "/api/users/groups/", { name: "refused" })).status).toBe(403)
    expect((await visitor.submit("/user/confirm/", { password })).status).toBe(302)
    expect((await call("POST", "/api/users/groups/", { name: "confirmed" })).status).toBe(201)
  })
})

describe("no confirmation is needed", () => {
  it("by a token, nor by a session that a provider or a proxy began", async () => {
    expect((await api.call("POST", "/api/users/groups/", { name: "by a token" })).status).toBe(201)
    await confirmedAt("'infinity'")
    expect((await call("POST", "/api/users/groups/", { name: "by a provider" })).status).toBe(201)
  })

  it("by a session of less than five minutes, and a session of an earlier version needs one", async () => {
    await confirmedAt("now() - interval '240 seconds'")
    expect((await call("POST", "/api/users/groups/", { name: "fresh" })).status).toBe(201)
    await confirmedAt("null")
    expect((await call("POST", "/api/users/groups/", { name: "old" })).status).toBe(403)
  })
})

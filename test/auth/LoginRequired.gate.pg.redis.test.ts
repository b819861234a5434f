/** Access without a login, by configuration. */
import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { type Api, startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { openBrowser } from "./Browser.ts"
import { makeUser } from "./Users.ts"

/** Behind a proxy that speaks TLS; `url` is where it listens itself. */
let closed: Api
let url: string
let open: Api

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  closed = await startApi({
    LOGIN_REQUIRED: "true",
    EXEMPT_VIEW_PERMISSIONS: "*",
    BASE_URL: "https://rackwire.example",
    METRICS_ACCESS: "127.0.0.1",
    PORT: `${port}`
  })
  open = await startApi({ EXEMPT_VIEW_PERMISSIONS: "*" })
})

afterAll(async () => {
  await open.stop()
  await closed.stop()
})

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe("LOGIN_REQUIRED", () => {
  it("hides the API from anonymous clients, exemptions included, and redirects people to the login", async () => {
    for (const path of ["/api/", "/api/status/", "/api/dcim/", "/api/dcim/sites/", "/api/schema/"]) {
      const answer = await fetch(url + path)
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        403,
        { detail: "Authentication credentials were not provided." }
      ])
      expect([path, (await fetch(url + path, { method: "OPTIONS" })).status]).toEqual([path, 403])
    }
    for (const path of ["/", "/help/templates/?a=b&c=d"]) {
      const answer = await fetch(url + path, { redirect: "manual" })
      expect([answer.status, answer.headers.get("location")]).toEqual([302, `/login/?next=${encodeURIComponent(path)}`])
    }
    for (const path of ["/login/", "/health/", "/health/live", "/health/ready", "/metrics"])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
  })

  it("names the address to open to a person who logs in over plain HTTP, where the browser keeps no login", async () => {
    const visitor = openBrowser(url)
    const shown = await (await visitor.fetch("/login/")).text()
    const csrfmiddlewaretoken = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(shown)![1]!
    visitor.cookies.clear()
    const body = new URLSearchParams({ csrfmiddlewaretoken, username: "admin", password: "x" })
    const sent = async (origin: string) =>
      (await visitor.fetch("/login/", { method: "POST", body, headers: { origin } })).text()
    expect(await sent(url)).toMatch(/BASE_URL begins with https:.*Open https:\/\/rackwire\.example\/login\/ instead/)
    expect(await sent("https://rackwire.example")).toContain("The form has expired. Please try again.")
  })

  it("behind TLS restricts cookies and later visits to TLS", async () => {
    const answer = await openBrowser(url).logIn()
    const [session, form] = ["__Host-sessionid=", "__Host-csrftoken="].map((name) =>
      answer.headers.getSetCookie().find((line) => line.startsWith(name))
    )
    expect(session).toMatch(/; Secure/)
    expect(form).toMatch(/; Secure/)
    expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000")
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    const asked = await fetch(`${url}/api/`, { headers: { origin: "https://elsewhere.example" } })
    expect([...asked.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([])
  })
})

describe("EXEMPT_VIEW_PERMISSIONS=*", () => {
  it("shows everybody everything but accounts, permissions, webhooks and alarms, and lets nobody write", async () => {
    const accounts = ["users.user", "users.group", "users.token", "users.objectpermission"]
    const hidden = new Set([...accounts, "extras.webhook", "extras.alarm", "users.signin"])
    for (const type of registry.values()) {
      const expected = hidden.has(type.id) ? 403 : 200
      expect([type.id, (await open.raw("GET", type.path)).status]).toEqual([type.id, expected])
      expect([type.id, (await open.raw("POST", type.path, {})).status]).toEqual([type.id, 403])
    }
  })

  it("shows the changes of visible objects, also to a user without permission", async () => {
    await open.call("POST", "/api/extras/webhooks/", {
      name: "not shown",
      content_types: ["dcim.site"],
      type_create: true,
      payload_url: "http://127.0.0.1:1/"
    })
    await open.call("POST", "/api/dcim/sites/", named("Shown"))
    const log = "/api/extras/object-changes/"
    const count = async (path: string) => Number((await open.call("GET", path)).json["count"])
    await expect.poll(() => count(log)).toBe(2)
    const user = await makeUser(open, "anybody")
    for (const reply of [await open.raw("GET", log), await user.call("GET", log)]) {
      const types = (reply.json["results"] as ReadonlyArray<{ changed_object_type: string }>).map(
        (change) => change.changed_object_type
      )
      expect(types).toEqual(["dcim.site"])
    }
  })
})

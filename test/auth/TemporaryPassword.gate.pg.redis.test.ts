/**
 * The password that is generated at the first start, and passwords that everybody knows.
 * A process, because its output is read.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { request } from "../support/Client.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { type Browser, openBrowser } from "./Browser.ts"

let database: TestDatabase
let service: ServiceProcess
let generated: string
let browser: Browser
let token: string

beforeAll(async () => {
  database = await makeDatabase()
  service = await startProcess({
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: database.redisUrl,
    RACKWIRE_SLOT: database.slot,
    SECRET_KEY: "a key for tests, of sufficient length",
    // As if it were not set.
    SUPERUSER_PASSWORD: ""
  })
  generated = /Superuser admin, password (\S+)/.exec(service.output())![1]!
  browser = openBrowser(service.url)
})

afterAll(async () => {
  await service.stop()
  await database.drop()
})

const call = (method: string, path: string, body?: unknown) =>
  request<Record<string, unknown>>(service.url, token, method, path, body)

const provision = (password: string) =>
  request<{ readonly key: string }>(service.url, "", "POST", "/api/users/tokens/provision/", {
    username: "admin",
    password
  })

describe("the generated password", () => {
  it("can provision a working token", async () => {
    const reply = await provision(generated)
    expect(reply.status).toBe(201)
    token = reply.json.key
    expect((await call("GET", "/api/users/users/")).status).toBe(200)
  })

  it("redirects a browser from every page to the page for a new password", async () => {
    await browser.logIn("admin", generated)
    for (const path of ["/", "/help/templates/"]) {
      const response = await browser.fetch(path)
      expect([path, response.status, response.headers.get("location")]).toEqual([path, 302, "/user/password/"])
    }
    const refused = await browser.fetch("/api/dcim/sites/")
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("/user/password/")])
    expect(await (await browser.fetch("/user/password/")).text()).toContain("Choose one of your own")
  })

  it("stays temporary whatever its user changes about itself", async () => {
    const { json } = await call("GET", "/api/users/users/?username=admin")
    const [{ id }] = json["results"] as [{ readonly id: number }]
    expect((await call("PATCH", `/api/users/users/${id}/`, { temporary_password: "" })).status).toBe(200)
    expect((await browser.fetch("/")).headers.get("location")).toBe("/user/password/")
  })

  it.each(["password1", "PassWord1", "qwertyuiop"])(
    "is not replaced by one that everybody knows: %s",
    async (wanted) => {
      const page = await browser.submit("/user/password/", { old_password: generated, new_password: wanted })
      expect(await page.text()).toContain("This password is too common.")
      const made = await call("POST", "/api/users/users/", { username: "eve", password: wanted })
      expect([made.status, made.json]).toEqual([400, { password: ["This password is too common."] }])
    }
  )

  it("opens every page once it is changed", async () => {
    const changed = await browser.submit("/user/password/", { old_password: generated, new_password: "one of my own" })
    expect(changed.headers.get("location")).toBe("/")
    expect((await browser.fetch("/")).status).toBe(200)
    expect((await browser.fetch("/api/dcim/sites/")).status).toBe(200)
    expect((await provision(generated)).status).toBe(403)
  })
})

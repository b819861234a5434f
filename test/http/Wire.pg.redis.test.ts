/** Lists, and the rest of the wire as a NetBox client knows it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

let api: Api

beforeAll(async () => {
  api = await startApi({ EXEMPT_VIEW_PERMISSIONS: "extras.tag" })
})

afterAll(() => api.stop())

describe("lists", () => {
  beforeAll(async () => {
    await api.call(
      "POST",
      "/api/extras/tags/",
      Array.from({ length: 7 }, (_, n) => named(`List ${n}`))
    )
  })

  it("come in pages with absolute links that keep the other parameters", async () => {
    const first = await api.call<List>("GET", "/api/extras/tags/?name__isw=List&limit=3")
    expect([first.json.count, first.json.previous, first.json.results.length]).toEqual([7, null, 3])
    const second = await api.call<List>("GET", first.json.next!.slice(api.service.url.length))
    expect(second.json.results.map(({ name }) => name)).toEqual(["List 3", "List 4", "List 5"])
    expect(new URL(second.json.previous!).search).toBe("?name__isw=List&limit=3")
  })

  it("are filtered, searched, ordered, and brief on request", async () => {
    const names = async (query: string) =>
      (await api.call<List>("GET", `/api/extras/tags/?${query}`)).json.results.map(({ name }) => name)
    expect(await names("name=List 1&name=List 2")).toEqual(["List 1", "List 2"])
    expect(await names("q=LIST 5")).toEqual(["List 5"])
    expect(await names("name__isw=List&ordering=-name&limit=2")).toEqual(["List 6", "List 5"])
    expect(await names("name__isw=List&nonsense=1&limit=1")).toEqual(["List 0"])
    const brief = await api.call<{ results: ReadonlyArray<Json> }>("GET", "/api/extras/tags/?brief=1&limit=1")
    expect(Object.keys(brief.json.results[0]!)).toEqual(["id", "url", "display", "name", "slug", "color"])
  })

  it("answer an invalid filter value with 400", async () => {
    expect((await api.call("GET", "/api/dcim/sites/?id=x")).json).toEqual({ id: ["Enter a number."] })
    expect((await api.call("GET", "/api/dcim/sites/?status=lost")).json).toEqual({
      status: ["Select a valid choice. lost is not one of the available choices."]
    })
    const hostile = encodeURIComponent("x'); drop table dcim_site; --")
    expect((await api.call<List>("GET", `/api/dcim/sites/?name=${hostile}`)).json.count).toBe(0)
  })
})

describe("the rest of the wire", () => {
  it("redirects to the path with a slash, answers 404 to others, and names the allowed methods", async () => {
    const moved = await api.raw("GET", "/api/dcim/sites?limit=1")
    expect([moved.status, moved.headers.get("location")]).toEqual([301, "/api/dcim/sites/?limit=1"])
    const unknown = await api.raw("GET", "/api/nothing/")
    expect([unknown.status, unknown.json]).toEqual([404, { detail: "Not found." }])
    const readOnly = await api.call<Json>("POST", "/api/extras/object-changes/", {})
    expect([readOnly.status, readOnly.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
  })

  it("gives every answer a request id, and every answer of the API its version", async () => {
    const home = await api.raw("GET", "/")
    expect(home.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
    expect(home.headers.get("api-version")).toBeNull()
    for (const path of [
      "/api/",
      "/api/schema/",
      "/api/dcim/sites/export/?format=csv",
      "/api/dcim/sites/1",
      "/api/no/"
    ]) {
      const { headers } = await api.call("GET", path)
      expect([path, headers.get("api-version")]).toEqual([path, "3.5"])
    }
  })

  it.each([
    "application/json",
    "application/json;",
    "application/json; charset=utf-8",
    "Application/JSON",
    "text/plain"
  ])("tells its version to a client that sends Content-Type: %s, also with an error", async (type) => {
    for (const path of ["/api/", "/api/dcim/sites/999999/"]) {
      const asked = await fetch(api.service.url + path, { headers: { "content-type": type } })
      expect([path, asked.headers.get("api-version")]).toEqual([path, expect.stringMatching(/^\d+\.\d+$/)])
    }
  })

  it("has a home page with links to the API and to health, and is ready", async () => {
    const home = await api.raw("GET", "/")
    expect(home.text).toContain('href="/api/"')
    expect(home.text).toContain('href="/health/ready"')
    expect((await api.raw("GET", "/health/ready")).json).toMatchObject({
      status: "ready",
      limits: { clientConnectionsMax: expect.any(Number) }
    })
    expect((await api.raw("GET", "/health/live")).status).toBe(200)
  })

  it("shows the state of every process and of the slot, also as metrics", async () => {
    interface Status {
      readonly "rq-workers-running": number
      readonly processes: ReadonlyArray<{ readonly name: string; readonly parts: Readonly<Record<string, Json>> }>
    }
    // A process tells how it is every two seconds.
    const json = await eventually("capture streams", async () => {
      const status = await api.call<Status>("GET", "/api/status/")
      return status.json.processes[0]?.parts["capture"]?.["state"] === "streaming" && status.json
    })
    expect(json["rq-workers-running"]).toBe(1)
    expect(json.processes[0]!.parts).toMatchObject({
      capture: { state: "streaming", epoch: 0, generation: 1 },
      slot: { walStatus: "reserved", safeBytes: -1 },
      stream: { streamsLost: 0 }
    })
    const metrics = await api.raw("GET", "/metrics")
    expect(metrics.text).toMatch(/^rackwire_capture_lag_bytes \d+$/m)
    expect(metrics.text).toMatch(/^rackwire_deliveries_repeated_total 0$/m)
  })

  it("counts and logs an unreadable context, whose changes have no author", async () => {
    await api.database.sql.transaction(
      `select pg_logical_emit_message(true, 'rackwire:ctx:v1', '{"user": 7')::text`,
      "insert into extras_tag (name, slug) values ('Nobody', 'nobody')"
    )
    await expect
      .poll(async () => (await api.raw("GET", "/metrics")).text)
      .toContain("\nrackwire_contexts_unreadable_total 1\n")
    const { json } = await api.call<{ results: ReadonlyArray<Json> }>(
      "GET",
      "/api/extras/object-changes/?object_repr=Nobody"
    )
    expect(json.results).toMatchObject([{ user_name: "" }])
    expect(api.service.output()).toContain(String.raw`{\"user\": 7`)
  })

  it("never shows secrets of webhooks and users", async () => {
    const webhook = {
      name: "secretive",
      content_types: ["dcim.site"],
      type_create: true,
      payload_url: "http://127.0.0.1:9/"
    }
    const made = await api.call<Json>("POST", "/api/extras/webhooks/", { ...webhook, secret: "hunter2 hunter2" })
    expect([made.status, Object.keys(made.json).includes("secret")]).toEqual([201, false])
    const changes = await api.call<List>("GET", "/api/extras/object-changes/?changed_object_type=extras.webhook")
    const users = await api.call("GET", "/api/users/users/")
    const [row] = await api.database.sql.query<{ secret: string }>(
      "select secret from extras_webhook where name = 'secretive'"
    )
    for (const text of [JSON.stringify(changes.json), users.text, row!.secret, api.service.output()]) {
      expect(text).not.toContain("hunter2")
      expect(text).not.toContain("$argon2id$")
    }
  })
})

/** Rights that no permission may lead to: those of a superuser, and of later work for whoever requested it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { type Api, startApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { makeUser } from "./Users.ts"

let api: Api

beforeAll(async () => {
  api = await startApi()
})

afterAll(() => api.stop())

/** Types whose changes are delivered. */
const published = [...registry.values()].filter(({ kind }) => kind === "object").map(({ id }) => id)

const noPermission = { detail: "You do not have permission to perform this action." }

describe("tokens", () => {
  it("of one's own may be kept by every user, those of others by users who may grant them", async () => {
    const user = await makeUser(api, "keeper")
    const path = "/api/users/tokens/"
    const own = await user.call("POST", path, { user: user.id, description: "mine" })
    expect(own).toMatchObject({ status: 201 })
    expect((own.json["user"] as Json)["username"]).toBe("keeper")
    const all = (await user.call("GET", path)).json["results"] as ReadonlyArray<Json>
    expect(new Set(all.map((token) => (token["user"] as Json)["id"]))).toEqual(new Set([user.id]))
    const notGranted = { detail: "This user does not have permission to create tokens for other users." }
    for (const other of [await api.adminId(), 999_999, { username: "admin" }, { username: "nobody" }]) {
      const reply = await user.call("POST", path, { user: other })
      expect([reply.status, reply.json]).toEqual([403, notGranted])
      const moved = await user.call("PATCH", `${path}${own.json["id"]}/`, { user: other })
      expect([moved.status, moved.json]).toEqual([403, notGranted])
    }
    const granter = await makeUser(api, "granter", { types: ["users.token"], actions: ["add", "grant"] })
    expect((await granter.call("POST", path, { user: user.id })).status).toBe(201)
  })

  it("of superusers can be made and changed by superusers alone, whatever was granted", async () => {
    const granter = await makeUser(api, "ambitious", {
      types: ["users.token"],
      actions: ["view", "add", "change", "grant"]
    })
    const admin = await api.adminId()
    const path = "/api/users/tokens/"
    const made = await granter.call("POST", path, { user: admin })
    expect([made.status, made.json]).toEqual([403, noPermission])
    const theirs = await api.make("users/tokens", { user: admin })
    expect((await granter.call("GET", `${path}${theirs}/`)).status).toBe(200)
    expect((await granter.call("PATCH", `${path}${theirs}/`, { key: "a".repeat(40) })).status).toBe(404)
    const own = await granter.call("POST", path, { user: granter.id })
    expect((await granter.call("PATCH", `${path}${own.json["id"]}/`, { user: admin })).status).toBe(403)
  })

  it("and accounts of superusers cannot be changed by users who may change users", async () => {
    const user = await makeUser(api, "user manager", { types: ["users.user"], actions: ["view", "change", "delete"] })
    const admin = await api.adminId()
    expect((await user.call("GET", `/api/users/users/${admin}/`)).status).toBe(200)
    expect((await user.call("PATCH", `/api/users/users/${admin}/`, { password: "taken over" })).status).toBe(404)
    expect((await user.call("DELETE", `/api/users/users/${admin}/`)).status).toBe(404)
  })
})

describe("actions that run later", () => {
  const webhook = (name: string) =>
    api.make("extras/webhooks", {
      name,
      content_types: ["dcim.site"],
      type_create: true,
      payload_url: "http://127.0.0.1:1/",
      enabled: false
    })

  it("need the permission to change that webhook", async () => {
    const [mine, other] = [await webhook("Mine"), await webhook("Other")]
    const user = await makeUser(api, "operator", {
      types: ["extras.webhook"],
      actions: ["change"],
      constraints: { name: "Mine" }
    })
    const replay = { since: "2026-01-01T00:00:00Z", dry_run: true }
    const asked = await user.call("POST", `/api/extras/webhooks/${mine}/replay/`, replay)
    expect([asked.status, asked.json["dry_run"]]).toEqual([202, true])
    for (const action of ["replay", "pause", "resume", "test"])
      expect([action, (await user.call("POST", `/api/extras/webhooks/${other}/${action}/`, replay)).status]).toEqual([
        action,
        404
      ])
    expect((await user.call("POST", `/api/extras/webhooks/${mine}/pause/`)).status).toBe(200)
    const reader = await makeUser(api, "watcher", { types: ["extras.webhook"], actions: ["view", "add"] })
    expect((await reader.call("POST", `/api/extras/webhooks/${mine}/pause/`)).status).toBe(403)
  })

  it("on many deliveries need the permission to change all of them", async () => {
    const all = { filter: { status: "failed" }, dry_run: true }
    const some = { types: ["extras.delivery"], actions: ["change"], constraints: { status: "failed" } }
    const limited = await makeUser(api, "limited", some)
    expect((await limited.call("POST", "/api/extras/deliveries/retry/", all)).status).toBe(403)
    // A sign-in is visible with its user.
    const everything = ["extras.delivery", "extras.webhook", "users.user", ...published]
    const whole = await makeUser(api, "whole", { types: everything, actions: ["view", "change"] })
    expect((await whole.call("POST", "/api/extras/deliveries/retry/", all)).status).toBe(202)
  })
})

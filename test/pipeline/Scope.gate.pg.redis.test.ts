/** Webhooks that fire only for what a user may view. */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SharedBudget } from "../../src/match/Budget.ts"
import { fired } from "../../src/match/Scope.ts"
import { WebhookIndex } from "../../src/match/WebhookIndex.ts"
import { type User, makeUser, permit } from "../auth/Users.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

let api: Api
let receiver: Receiver
let regions: ReadonlyArray<number>

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
  regions = [await api.make("dcim/regions", named("Ours")), await api.make("dcim/regions", named("Theirs"))]
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

const hook = (name: string, fields: Json): Json => ({
  name,
  content_types: ["dcim.site"],
  type_create: true,
  type_update: true,
  type_delete: true,
  payload_url: `${receiver.url}/${name}`,
  // One after the other, so that what has arrived says what came before it.
  max_in_flight: 1,
  ...fields
})

/** A user who may view sites of our region, with a webhook of this name. */
const keeper = async (name: string, fields: Json = {}): Promise<{ readonly user: User; readonly webhook: number }> => {
  const user = await makeUser(api, name, {
    types: ["dcim.site"],
    actions: ["view"],
    constraints: { region__slug: "ours" }
  })
  return { user, webhook: await api.make("extras/webhooks", hook(name, { scope_user: user.id, ...fields })) }
}

const site = (name: string, region: number, fields: Json = {}) =>
  api.make("dcim/sites", { ...named(name), region: regions[region], ...fields })

interface Event {
  readonly event: string
  readonly data: Json & { readonly name: string }
}

const eventsAt = (name: string): ReadonlyArray<Event> =>
  receiver.received.filter(({ path }) => path === `/${name}`).map(({ body }) => JSON.parse(body.toString()) as Event)

/** Events that have come for a webhook when an event of the object of this name came. */
const until = async (name: string, last: string): Promise<ReadonlyArray<string>> => {
  await receiver.until(
    ({ path, body }) => path === `/${name}` && body.includes(`"name":"${last}"`),
    `${last} at ${name}`
  )
  return eventsAt(name).map(({ event, data }) => `${event} ${data.name}`)
}

describe("a webhook with a scope", () => {
  it("fires for objects that its user may view, shows hidden objects by id, also to its condition", async () => {
    await keeper("team")
    const curious = { attr: "tenant.name", op: "regex", value: "^Hid" }
    await keeper("curious", { conditions: { or: [{ attr: "name", value: "Team last" }, curious] } })
    await api.make("extras/webhooks", hook("everybody", {}))
    const tenant = await api.make("tenancy/tenants", named("Hidden tenant"))
    await site("Team theirs", 1)
    await site("Team ours", 0, { tenant })
    await site("Team last", 0)
    expect(await until("team", "Team last")).toEqual(["created Team ours", "created Team last"])
    expect(await until("curious", "Team last")).toEqual(["created Team last"])
    expect(await until("everybody", "Team last")).toHaveLength(3)
    const shown = { id: tenant, url: expect.stringMatching(`/api/tenancy/tenants/${tenant}/$`), display: `#${tenant}` }
    expect(eventsAt("team")[0]!.data["tenant"]).toEqual(shown)
    expect(eventsAt("everybody")[1]!.data["tenant"]).toMatchObject({ name: "Hidden tenant" })
    expect(receiver.received.filter(({ path, body }) => path === "/team" && body.includes("Hidden"))).toEqual([])
  })

  it("shows hidden objects by id also in long events, which are stored in the change log only", async () => {
    await keeper("long")
    await api.make("extras/webhooks", hook("long-all", {}))
    const tenant = await api.make("tenancy/tenants", named("Concealed tenant"))
    await site("Long", 0, { tenant, comments: "x".repeat(40_000) })
    expect([await until("long", "Long"), await until("long-all", "Long")]).toEqual([["created Long"], ["created Long"]])
    const bodies = (name: string) => receiver.received.filter(({ path }) => path === name).map(({ body }) => `${body}`)
    expect(eventsAt("long")[0]!.data["tenant"]).toMatchObject({ display: `#${tenant}` })
    expect(bodies("/long").filter((text) => text.includes("Concealed"))).toEqual([])
    expect(bodies("/long-all").filter((text) => text.includes("Concealed"))).toHaveLength(1)
  })

  it("fires for deleted objects only if its user may view all objects of their type", async () => {
    await keeper("some")
    const all = await makeUser(api, "all", { types: ["dcim.site"], actions: ["view"] })
    await api.make("extras/webhooks", hook("all", { scope_user: all.id }))
    const gone = await site("Gone", 0)
    await until("some", "Gone")
    await api.call("DELETE", `/api/dcim/sites/${gone}/`)
    await site("After", 0)
    expect(await until("some", "After")).toEqual(["created Gone", "created After"])
    expect(await until("all", "After")).toEqual(["created Gone", "deleted Gone", "created After"])
  })

  it("applies the permissions at the time of matching, and never fires while its user is inactive", async () => {
    const { user } = await keeper("changing")
    await api.make("extras/webhooks", hook("witness", {}))
    await site("Changing 1", 1)
    await site("Changing 2", 0)
    expect(await until("changing", "Changing 2")).toEqual(["created Changing 2"])
    const wider = await permit(api, user.id, { types: ["dcim.site"], actions: ["view"] })
    await site("Changing 3", 1)
    await until("changing", "Changing 3")
    await api.call("DELETE", `/api/users/permissions/${wider}/`)
    await api.call("PATCH", `/api/users/users/${user.id}/`, { is_active: false })
    await site("Changing 4", 0)
    // Both are decided before either is queued; the change log may be ahead of that.
    await until("witness", "Changing 4")
    await api.call("PATCH", `/api/users/users/${user.id}/`, { is_active: true })
    await site("Changing 5", 1)
    await site("Changing 6", 0)
    expect(await until("changing", "Changing 6")).toEqual([
      "created Changing 2",
      "created Changing 3",
      "created Changing 6"
    ])
  })

  it("can get its scope by plain SQL, and keeps it as long as its user exists", async () => {
    const { user, webhook } = await keeper("by-sql", { scope_user: null })
    await site("Sql 1", 1)
    await until("by-sql", "Sql 1")
    await api.database.sql.query("update extras_webhook set scope_user_id = $1 where id = $2", [user.id, webhook])
    await api.database.sql.query(
      "insert into dcim_site (name, slug, region_id) values ('Sql 2', 'sql-2', $1), ('Sql 3', 'sql-3', $2)",
      [regions[1], regions[0]]
    )
    expect(await until("by-sql", "Sql 3")).toEqual(["created Sql 1", "created Sql 3"])
    expect((await api.call("DELETE", `/api/users/users/${user.id}/`)).status).toBe(409)
  })

  it("whose user has a constraint that Postgres cannot evaluate never fires, and delays no other webhook", async () => {
    const { user } = await keeper("broken")
    await api.database.sql.query(
      "update users_objectpermission set constraints = $1 where users @> array[$2::bigint]",
      [JSON.stringify({ name__regex: "(" }), user.id]
    )
    await site("Broken 1", 0)
    await keeper("sound")
    await site("Broken 2", 0)
    await until("sound", "Broken 2")
    expect(eventsAt("broken")).toEqual([])
    expect(api.service.output()).toContain("cannot be evaluated")
  })
})

describe("a scope", () => {
  const own = { types: ["extras.webhook"], actions: ["view", "add", "change"], constraints: { scope_user: "$user" } }

  it("can be required by a permission, before and after a change", async () => {
    const team = await makeUser(api, "demanded", own)
    const path = "/api/extras/webhooks/"
    expect((await team.call("POST", path, hook("unscoped", {}))).status).toBe(403)
    const made = await team.call("POST", path, hook("demanded", { scope_user: team.id }))
    expect([made.status, (made.json["scope_user"] as Json)["id"]]).toEqual([201, team.id])
    const webhook = `${path}${made.json["id"]}/`
    expect((await team.call("PATCH", webhook, { scope_user: null })).status).toBe(403)
    expect((await team.call("PATCH", webhook, { description: "ours" })).status).toBe(200)
    expect((await team.call("PUT", webhook, (await team.call("GET", webhook)).json)).status).toBe(200)
  })

  it("must be the user who writes the webhook, unless they may view everything", async () => {
    const writer = await makeUser(
      api,
      "writer",
      { types: ["extras.webhook"], actions: ["view", "add", "change"] },
      { types: ["users.user"], actions: ["view"] }
    )
    const path = "/api/extras/webhooks/"
    const admin = await api.adminId()
    expect((await writer.call("POST", path, hook("borrowed", { scope_user: admin }))).status).toBe(403)
    const { webhook } = await keeper("lent")
    const turned = await writer.call("PATCH", `${path}${webhook}/`, { payload_url: `${receiver.url}/elsewhere` })
    expect(turned.status).toBe(404)
    expect((await writer.call("PATCH", `${path}${webhook}/`, { scope_user: writer.id })).status).toBe(404)
    expect((await api.call("PATCH", `${path}${webhook}/`, { scope_user: writer.id })).status).toBe(200)
    expect((await writer.call("PATCH", `${path}${webhook}/`, { description: "mine" })).status).toBe(200)
  })

  it("costs no query while no webhook has one", async () => {
    const index = new WebhookIndex()
    const subject = { type: "dcim.site", kind: "created", data: {} } as const
    const question = fired(index, [{ subject, objectId: 1, xid: 3, scoped: index.scoped(subject) }], new SharedBudget())
    // There is no database here that could be asked.
    expect(await Effect.runPromise(question as Effect.Effect<unknown>)).toEqual([[]])
  })
})

/** The health of webhooks: stored when it turns, and sent like any other change. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Redis } from "ioredis"
import { describe, expect, it } from "vitest"
import { startDelivering } from "../deliver/Delivering.ts"
import type { Json, List } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { thorough } from "../support/Seed.ts"

const hooks = startDelivering({ pace: 0.1 })

/** Retries until a receiver is well again, without giving up. */
const patient = { retry_schedule: { kind: "fixed", delay: 1, attempts: 100 } }

const onHealth = { attr: "health", op: "changed" }

/** A webhook that fires for turns of other webhooks of these names. */
const alert = (name: string, watched: string, fields: Json = {}) =>
  hooks.webhook(name, {
    ...{ content_types: ["extras.webhook"], type_create: false, type_update: true, ...patient },
    conditions: { and: [onHealth, { attr: "name", op: "regex", value: `(${watched})$` }] },
    ...fields
  })

interface Webhook extends Json {
  readonly health: string
  readonly health_since: string | null
}

const webhookOf = (id: number) => hooks.api.call<Webhook>("GET", `/api/extras/webhooks/${id}/`)

const becomes = (id: number, health: string) =>
  eventually(`webhook ${id} is ${health}`, async () => (await webhookOf(id)).json.health === health, {
    millis: 60_000,
    everyMillis: 200
  })

/** Waits for one more attempt: when a probe fails, the breaker opens again. */
const untilProbed = (name: string) => hooks.arrived(name, hooks.at(name).length + 1)

/** Enough to open a breaker. */
const tags = (name: string, count = 20) =>
  hooks.api.call(
    "POST",
    "/api/extras/tags/",
    Array.from({ length: count }, (_, n) => ({ name: `${name} ${n}`, slug: `${name}-${n}` }))
  )

/** The healths that were told to `/name`, of which webhook, in their order. */
const toldAt = (name: string) => {
  const bodies = new Map(hooks.at(name).map(({ headers, body }) => [headers["x-hook-delivery"], body.toString()]))
  return [...bodies.values()].map((body) => {
    const { data } = JSON.parse(body) as { readonly data: { readonly name: string; readonly health: string } }
    return `${data.name} ${data.health}`
  })
}

interface Change {
  readonly id: number
  readonly message: string
  readonly postchange_data: { readonly health: string }
}

interface Explained {
  readonly position: string
  readonly results: ReadonlyArray<Json & { readonly webhook: { readonly id: number } }>
}

/** The changes of the webhook in which its health turned. */
const turnsOf = async (id: number): Promise<ReadonlyArray<Change>> => {
  const query = `changed_object_type=extras.webhook&changed_object_id=${id}&action=update&ordering=time&limit=0`
  const { json } = await hooks.api.call<{ results: ReadonlyArray<Change & { prechange_data: { health: string } }> }>(
    "GET",
    `/api/extras/object-changes/?${query}`
  )
  return json.results.filter((each) => each.prechange_data.health !== each.postchange_data.health)
}

describe("an alert on the health of webhooks", () => {
  thorough(
    "fires once when a receiver fails and once when it is well, though Redis loses everything between",
    async () => {
      const redis = new Redis(hooks.api.database.redisUrl, { protocol: 2 })
      const ailing = await hooks.webhook("ailing", patient)
      const watching = await alert("watch", "ailing")
      const { json: before, headers } = await webhookOf(ailing)
      expect(before).toMatchObject({ health: "healthy", health_since: null })
      hooks.answers.set("/ailing", 500)
      await tags("ailing")
      await hooks.arrived("watch", 1)
      const failing = await webhookOf(ailing)
      expect(failing.json).toMatchObject({ health: "failing", last_updated: before["last_updated"] })
      expect(failing.headers.get("etag")).toBe(headers.get("etag"))
      expect(Date.parse(failing.json.health_since!)).toBeGreaterThan(Date.parse(String(before["last_updated"])))
      await untilProbed("ailing")
      await redis.flushdb()
      hooks.answers.set("/ailing", 200)
      await hooks.arrived("watch", 2)
      expect((await hooks.deliveries(ailing, "successful", 20)).length).toBe(20)
      expect(toldAt("watch")).toEqual(["ailing failing", "ailing healthy"])
      expect((await turnsOf(ailing)).map(({ message }) => message)).toEqual([
        "The receiver answered 500.",
        "The receiver accepts deliveries again."
      ])
      expect(await turnsOf(watching)).toEqual([])
      await redis.quit()
    }
  )

  it("does not fire for its own health, and an explanation says so", async () => {
    const own = await alert("own", "own|bystander", { conditions: null })
    const other = await alert("other", "own")
    const bystander = await hooks.webhook("bystander")
    hooks.answers.set("/own", 500)
    for (let n = 0; n < 20; n++) {
      await hooks.api.call("PATCH", `/api/extras/webhooks/${bystander}/`, { description: `${n}` })
    }
    await becomes(own, "failing")
    await hooks.arrived("other", 1)
    const [turn] = await turnsOf(own)
    const { position, results } = (
      await hooks.api.call<Explained>("GET", `/api/extras/object-changes/${turn!.id}/explain/?limit=0`)
    ).json
    const verdict = (id: number) => results.find(({ webhook }) => webhook.id === id)
    const reason = "No webhook fires for its own health."
    expect(verdict(own)).toMatchObject({ outcome: "skipped", gate: "own", reason })
    expect(verdict(other)).toMatchObject({ outcome: "fired" })
    // It still fires for what else changes about it.
    hooks.answers.set("/own", 200)
    await hooks.api.call("PATCH", `/api/extras/webhooks/${own}/`, { description: "edited" })
    await eventually("the edit", () => hooks.at("own").some(({ body }) => body.includes("edited")))
    const ids = (name: string) => hooks.at(name).map(({ headers }) => headers["x-hook-delivery"])
    expect([ids("other")[0], ids("own").includes(`${own}-${position}`)]).toEqual([`${other}-${position}`, false])
  })

  thorough("ends where two watch each other, also when both their receivers fail", async () => {
    const [one, two] = [await alert("one", "two|third"), await alert("two", "one|third")]
    const third = await hooks.webhook("third")
    for (const path of ["/one", "/two"]) hooks.answers.set(path, 500)
    for (let n = 0; n < 20; n++) {
      await hooks.api.call("PATCH", `/api/extras/webhooks/${third}/`, { enabled: n % 2 === 1 })
    }
    for (const id of [one, two]) await becomes(id, "failing")
    await untilProbed("one")
    await untilProbed("two")
    for (const path of ["/one", "/two"]) hooks.answers.set(path, 200)
    for (const id of [one, two]) await becomes(id, "healthy")
    for (const id of [one, two]) await hooks.deliveries(id, "successful", 22)
    const healths = async (id: number) => (await turnsOf(id)).map((each) => each.postchange_data.health)
    expect([await healths(one), await healths(two)]).toEqual([
      ["failing", "healthy"],
      ["failing", "healthy"]
    ])
  })
})

describe("the health of a webhook", () => {
  it("is stopped while it is disabled, in the same change, whoever disables it", async () => {
    const id = await hooks.webhook("switched")
    const patched = await hooks.api.call<Webhook>("PATCH", `/api/extras/webhooks/${id}/`, { enabled: false })
    expect(patched.json).toMatchObject({ health: "stopped", health_since: patched.json["last_updated"] })
    await hooks.api.database.sql.query("update extras_webhook set enabled = true where id = $1::bigint", [id])
    expect((await webhookOf(id)).json.health).toBe("healthy")
    await eventually("both changes", async () => (await turnsOf(id)).length === 2)
    const born = await hooks.webhook("born disabled", { enabled: false })
    const written = { health: "failing", health_since: "2026-01-01T00:00:00Z" }
    const ignored = await hooks.api.call<Webhook>("PATCH", `/api/extras/webhooks/${born}/`, written)
    expect(ignored.json).toMatchObject({ health: "stopped", health_since: null })
    const { json } = await hooks.api.call<List>("GET", "/api/extras/webhooks/?health=stopped")
    expect(json.results.map(({ id: each }) => each)).toEqual([born])
  })

  it("is failing while more deliveries than max_failed have failed for good", async () => {
    const id = await hooks.webhook("listed", {
      max_failed: 2,
      retry_schedule: { kind: "fixed", delay: 1, attempts: 1 }
    })
    hooks.answers.set("/listed", 400)
    await tags("listed", 3)
    await becomes(id, "failing")
    expect((await hooks.api.call("GET", `/api/extras/webhooks/${id}/health/`)).json).toMatchObject({ state: "failing" })
    hooks.answers.set("/listed", 200)
    await hooks.api.call("POST", "/api/extras/deliveries/retry/", { filter: { webhook_id: id, status: "failed" } })
    await becomes(id, "healthy")
    expect((await turnsOf(id)).map(({ message }) => message)).toEqual([
      "More than 2 deliveries have failed for good.",
      "The receiver accepts deliveries again."
    ])
  })

  it("is not failing where a receiver asks to wait, and a turn does not probe it", async () => {
    let requests = 0
    const server = createServer((_, response) => {
      requests += 1
      response.writeHead(503, { "retry-after": "600" }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const id = await hooks.webhook("waits", { ...patient, payload_url: `http://127.0.0.1:${port}/` })
    await tags("waits", 1)
    await eventually("an open breaker", async () => {
      const { json } = await hooks.api.call<{ breaker: unknown }>("GET", `/api/extras/webhooks/${id}/health/`)
      return json.breaker !== null
    })
    await hooks.tag("waits for a probe")
    // Looks of the sweeper: they turn one that is well, and none of which nothing more than a failure is known, as after
    // a crash of Postgres, which forgets breakers.
    const { sql } = hooks.api.database
    const fail = (id: number) => sql.query("update extras_webhook set health = 'failing' where id = $1::bigint", [id])
    hooks.answers.set("/forgotten", 500)
    const [returned, forgotten] = [await hooks.webhook("returned"), await hooks.webhook("forgotten", patient)]
    await tags("returned", 1)
    await tags("forgotten", 1)
    await hooks.deliveries(returned, "successful", 1)
    await hooks.deliveries(forgotten, "retrying", 1)
    for (const each of [returned, forgotten]) await fail(each)
    await becomes(returned, "healthy")
    expect((await webhookOf(forgotten)).json.health).toBe("failing")
    expect([requests, (await webhookOf(id)).json.health]).toEqual([1, "healthy"])
    // Announcements are followed in their order.
    await fail(id)
    await hooks.webhook("later")
    await tags("later", 1)
    await hooks.arrived("later", 1)
    expect([requests, (await webhookOf(id)).json.health]).toEqual([1, "failing"])
    // A change of how it is sent probes at once.
    await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, { description: "mended" })
    await expect.poll(() => requests).toBe(2)
    server.closeAllConnections()
    server.close()
  })
})

/** Events too long for the entries of Redis: their bodies are read from the change log. */
import type { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keysOf } from "../../src/queue/Keys.ts"
import { startDelivering } from "../deliver/Delivering.ts"
import { openRedis } from "../support/Redis.ts"
import { thorough } from "../support/Seed.ts"

const hooks = startDelivering()
let redis: Redis

beforeAll(async () => {
  redis = await openRedis(hooks.api.database)
})

afterAll(() => redis.quit())

const longText = (letter: string) => `${letter}☃`.repeat(100_000)

interface Event {
  readonly event: string
  readonly data: { readonly name: string; readonly comments: string }
  readonly snapshots: Readonly<Record<"prechange" | "postchange", { readonly comments: string } | null>>
}

/** A webhook for sites whose name begins with `name`. */
const webhook = (name: string, fields = {}) =>
  hooks.webhook(name, { content_types: ["dcim.site"], type_update: true, type_delete: true, ...fields })

const makeSite = async (name: string, letter: string): Promise<string> => {
  const site = { name: `${name} 1`, slug: name, comments: longText(letter) }
  return `/api/dcim/sites/${await hooks.api.make("dcim/sites", site)}/`
}

const eventsAt = (name: string): ReadonlyArray<Event> =>
  hooks.at(name).map(({ body }) => JSON.parse(body.toString()) as Event)

const queued = async (id: number, count: number) => {
  await expect.poll(() => redis.xlen(keysOf(id).queue)).toBe(count)
}

const resume = async (id: number) => {
  const asked = await hooks.api.call("POST", `/api/extras/webhooks/${id}/resume/`, { keep: "all" })
  expect(asked.status).toBe(202)
}

describe("a long event", () => {
  it("is delivered unchanged when an object is created, changed and deleted; its entries are short", async () => {
    const id = await webhook("whole", { paused: true })
    const path = await makeSite("whole", "a")
    await hooks.api.call("PATCH", path, { comments: longText("b") })
    await hooks.api.call("DELETE", path)
    await queued(id, 3)
    expect(await redis.memory("USAGE", keysOf(id).queue, "SAMPLES", 0)).toBeLessThan(16_384)
    await resume(id)
    await hooks.arrived("whole", 3)
    const [created, deleted, updated] = eventsAt("whole").toSorted((a, b) => (a.event < b.event ? -1 : 1)) as [
      Event,
      Event,
      Event
    ]
    expect([created.event, deleted.event, updated.event]).toEqual(["created", "deleted", "updated"])
    expect(created.data.comments).toBe(longText("a"))
    expect(created.snapshots).toMatchObject({ prechange: null, postchange: { comments: longText("a") } })
    expect(updated.snapshots.prechange!.comments).toBe(longText("a"))
    expect(updated.snapshots.postchange!.comments).toBe(longText("b"))
    expect(deleted.snapshots).toMatchObject({ prechange: { comments: longText("b") }, postchange: null })
  })

  it("is the same when it is retried, and in order if its webhook asks for that", async () => {
    hooks.answers.set("/again", 500)
    await webhook("again", { ordering: "object", retry_schedule: { kind: "fixed", delay: 0.1, attempts: 100 } })
    const path = await makeSite("again", "a")
    await hooks.api.call("PATCH", path, { comments: longText("b") })
    await hooks.arrived("again", 2)
    hooks.answers.delete("/again")
    await hooks.receiver.untilAll(() => eventsAt("again").at(-1)?.event === "updated")
    const events = eventsAt("again")
    expect(new Set(events.slice(0, -1).map(({ event, data }) => event + data.comments))).toEqual(
      new Set([`created${longText("a")}`])
    )
    expect(events.at(-1)!.data.comments).toBe(longText("b"))
  })

  it("is available to templates", async () => {
    await webhook("rendered", { body_template: "{{ data.comments|length }} {{ data.name }}" })
    await makeSite("rendered", "a")
    await hooks.arrived("rendered", 1)
    expect(hooks.at("rendered")[0]!.body.toString()).toBe("200000 rendered 1")
  })

  thorough("can be replayed", async () => {
    const id = await webhook("replayed")
    const since = new Date(Date.now() - 3_600_000).toISOString()
    await makeSite("replayed", "a")
    await hooks.arrived("replayed", 1)
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const asked = await hooks.api.call("POST", `/api/extras/webhooks/${id}/replay/`, { since, until })
    expect(asked.status).toBe(202)
    await hooks.arrived("replayed", 2)
    expect(eventsAt("replayed")[1]).toEqual(eventsAt("replayed")[0])
  })

  thorough("is queued again when Redis was emptied", async () => {
    const id = await webhook("emptied", { paused: true })
    await makeSite("emptied", "a")
    await queued(id, 1)
    await redis.flushdb()
    await queued(id, 1)
    await resume(id)
    await hooks.arrived("emptied", 1)
    expect(eventsAt("emptied")[0]!.data.comments).toBe(longText("a"))
  })

  it("fails with a reason when the change log no longer has it", async () => {
    const id = await webhook("expired", { paused: true })
    await makeSite("expired", "a")
    await queued(id, 1)
    await hooks.api.database.sql.query("delete from extras_objectchange where object_repr = 'expired 1'")
    await resume(id)
    expect(await hooks.delivery(id, "failed")).toMatchObject({
      attempts: 1,
      reason: "Expired",
      message: "The change log no longer holds this event: it is older than CHANGELOG_RETENTION."
    })
  })
})

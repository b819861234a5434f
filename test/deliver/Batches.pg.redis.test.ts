/** Webhooks with a batch, through whole services to a real receiver. */
import { createHmac } from "node:crypto"
import { describe, expect, it, onTestFinished } from "vitest"
import { keysOf } from "../../src/queue/Keys.ts"
import type { Received } from "../support/Receiver.ts"
import { startDelivering } from "./Delivering.ts"
import { openRedis } from "../support/Redis.ts"

const hooks = startDelivering()

interface Told {
  readonly delivery_id: string
  readonly event: string
  readonly data: { readonly id: number; readonly name: string; readonly description?: string }
  readonly snapshots: Readonly<Record<"prechange" | "postchange", { readonly description: string } | null>>
}

const eventsOf = ({ body }: Received): ReadonlyArray<Told> => JSON.parse(body.toString()) as ReadonlyArray<Told>
const namesOf = (received: Received) => eventsOf(received).map(({ data }) => data.name)

const tags = (name: string, count: number) =>
  hooks.api.call(
    "POST",
    "/api/extras/tags/",
    Array.from({ length: count }, (_, at) => ({ name: `${name} ${at}`, slug: `${name}-${at}` }))
  )

const describeTag = (id: number, description: string) =>
  hooks.api.call("PATCH", `/api/extras/tags/${id}/`, { description })

const soon = { kind: "fixed", delay: 0.05, attempts: 100 }

/** Longer than a test: what is sent before has made a full batch. */
const long = 300

describe("a batch", () => {
  it("is sent when it is full, as a list of events that is signed as a whole", async () => {
    const id = await hooks.webhook("full", { batch: { size: 3, seconds: long }, secret: "of all" })
    await tags("full", 7)
    await hooks.arrived("full", 2)
    const [first, second] = hooks.at("full")
    expect([namesOf(first!), namesOf(second!)]).toEqual([
      ["full 0", "full 1", "full 2"],
      ["full 3", "full 4", "full 5"]
    ])
    expect(first!.headers).toMatchObject({
      "x-hook-batch-size": "3",
      "x-hook-attempt": "1",
      "x-hook-signature": createHmac("sha512", "of all").update(first!.body).digest("hex")
    })
    const deliveries = await hooks.deliveries(id, "successful", 6)
    const told = [first!, second!].flatMap((each) => eventsOf(each).map(({ delivery_id }) => delivery_id))
    expect(deliveries.map(({ delivery_id }) => delivery_id).toSorted()).toEqual(told.toSorted())
    expect(deliveries.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 1])
    expect(hooks.at("full")).toHaveLength(2)
  })

  it("is sent when its first delivery has waited, however few there are", async () => {
    await hooks.webhook("waits", { batch: { size: 100, seconds: 2 } })
    const begun = performance.now()
    await tags("waits", 2)
    await hooks.tag("waits later")
    await hooks.arrived("waits", 1)
    expect(performance.now() - begun).toBeGreaterThan(1900)
    expect(namesOf(hooks.at("waits")[0]!)).toEqual(["waits 0", "waits 1", "waits later"])
  })

  it("shows its templates the events", async () => {
    await hooks.webhook("templated", {
      batch: { size: 2, seconds: long },
      body_template: "{% for e in events %}{{ e.delivery_id }} {{ e.object_type }} {{ e.data.name }}\n{% endfor %}",
      additional_headers: "X-Events: {{ events|length }}"
    })
    await tags("templated", 2)
    await hooks.arrived("templated", 1)
    const [{ body, headers }] = hooks.at("templated") as [Received]
    expect(body.toString()).toMatch(/^\S+ extras.tag templated 0\n\S+ extras.tag templated 1\n$/)
    expect(headers["x-events"]).toBe("2")
  })

  it("that is refused is tried again with its members, under the same id, and each outcome is logged", async () => {
    hooks.answers.set("/refused", 503)
    const id = await hooks.webhook("refused", { batch: { size: 3, seconds: 0.1 }, retry_schedule: soon })
    await tags("refused", 3)
    await hooks.arrived("refused", 2)
    hooks.answers.delete("/refused")
    await hooks.deliveries(id, "successful", 3)
    const [first, second] = hooks.at("refused")
    expect([namesOf(second!), second!.headers["x-hook-attempt"]]).toEqual([namesOf(first!), "2"])
    expect(second!.headers["x-hook-delivery"]).toBe(first!.headers["x-hook-delivery"])
    const logged = await hooks.delivery(id, "successful")
    expect(logged.attempt_log.map((each) => each["response_status"])).toEqual([
      ...Array.from({ length: logged.attempts - 1 }, () => 503),
      200
    ])
  })

  it("that the receiver finds too large goes in halves, costs no attempt, and the next ones stay small", async () => {
    const sizeOf = (received: Received) => Number(received.headers["x-hook-batch-size"])
    hooks.answers.set("/narrow", () => (sizeOf(hooks.at("narrow").at(-1)!) > 2 ? 413 : 200))
    const id = await hooks.webhook("narrow", { batch: { size: 8, seconds: long }, max_in_flight: 1 })
    await tags("narrow", 8)
    const taken = await hooks.deliveries(id, "successful", 8)
    expect(taken.map(({ attempts }) => attempts)).toEqual(Array(8).fill(1))
    expect(hooks.at("narrow").map(sizeOf)).toEqual([8, 4, 2, 2, 2, 2])
    for (let at = 0; at < 4; at++) await hooks.tag(`narrow more ${at}`)
    await hooks.deliveries(id, "successful", 12)
    expect(hooks.at("narrow").slice(6).map(sizeOf)).toEqual([2, 2])
  })

  it("of one event that the receiver finds too large fails as any other", async () => {
    hooks.answers.set("/closed", 413)
    const id = await hooks.webhook("closed", {
      ...{ batch: { size: 2, seconds: long }, retry_schedule: { kind: "fixed", delay: 0.05, attempts: 2 } }
    })
    await tags("closed", 2)
    const failed = await hooks.deliveries(id, "failed", 2)
    expect(failed.map(({ attempts }) => attempts)).toEqual([2, 2])
  })

  it("fails for the event alone that a template cannot be rendered with", async () => {
    const id = await hooks.webhook("faulty", {
      batch: { size: 8, seconds: long },
      body_template:
        "{% for e in events %}{{ e.data.name.split(' ')[1]|int and 6 // (e.data.name.split(' ')[1]|int - 5) }} {% endfor %}"
    })
    await tags("faulty", 8)
    await hooks.deliveries(id, "successful", 7)
    const failed = await hooks.delivery(id, "failed")
    expect(failed.reason).toBe("Render")
    expect(hooks.at("faulty").length).toBeLessThan(7)
  })

  it("takes one slot of the rate limit, and one place among the requests under way", async () => {
    await hooks.webhook("paced", { batch: { size: 20, seconds: 0 }, rate_limit: 2, max_in_flight: 1 })
    await tags("paced", 60)
    await hooks.receiver.untilAll(() => hooks.at("paced").flatMap(namesOf).length >= 60)
    expect(hooks.at("paced").length).toBeLessThan(10)
    const slotSeconds = 1000
    const id = await hooks.webhook("slot", { batch: { size: 20, seconds: long }, rate_limit: 1 / slotSeconds })
    await tags("slot", 20)
    await hooks.arrived("slot", 1)
    const redis = await openRedis(hooks.api.database)
    onTestFinished(() => redis.disconnect())
    const [[seconds, micros], free] = [await redis.time(), await redis.get(keysOf(id).pace)]
    expect(Math.ceil((Number(free) / 1_000_000 - Number(seconds) - Number(micros) / 1_000_000) / slotSeconds)).toBe(1)
  })
})

describe("the order within objects", () => {
  it("holds inside a batch, between batches, and when one is refused", async () => {
    hooks.answers.set("/ordered", 500)
    const id = await hooks.webhook("ordered", {
      batch: { size: 4, seconds: 0.1 },
      ordering: "object",
      type_update: true,
      retry_schedule: soon
    })
    const { json: one } = await hooks.tag("ordered one")
    const { json: other } = await hooks.tag("ordered other")
    for (let n = 0; n < 10; n++) {
      await describeTag(one.id, `${n}`)
      if (n % 2 === 0) await describeTag(other.id, `${n}`)
    }
    await hooks.arrived("ordered", 2)
    hooks.answers.delete("/ordered")
    await hooks.deliveries(id, "successful", 17)
    const accepted = hooks.at("ordered").slice(-17).flatMap(eventsOf)
    const last = (object: number) => {
      const seen = accepted.filter(({ data }) => data.id === object).map(({ data }) => data.description)
      // The refused ones come again: in order from any of them on.
      return [...new Set(seen)]
    }
    expect(last(one.id)).toEqual(["", ...Array.from({ length: 10 }, (_, n) => `${n}`)])
    expect(last(other.id)).toEqual(["", "0", "2", "4", "6", "8"])
    expect(hooks.at("ordered").some((each) => new Set(namesOf(each)).size < namesOf(each).length)).toBe(true)
  })
})

describe("the latest of each object", () => {
  it("is all that a mass edit sends, with the state from before it", async () => {
    const { json: tag } = await hooks.tag("newest one")
    const id = await hooks.webhook("newest", {
      batch: { size: 100, seconds: 1, latest: true },
      ordering: "object",
      type_create: false,
      type_update: true
    })
    for (const description of ["a", "b", "c"]) await describeTag(tag.id, description)
    await hooks.deliveries(id, "successful", 3)
    const [{ headers }] = hooks.at("newest") as [Received]
    const told = hooks.at("newest").flatMap(eventsOf)
    expect(told).toHaveLength(1)
    expect(told[0]!.snapshots).toMatchObject({ prechange: { description: "" }, postchange: { description: "c" } })
    expect(headers["x-hook-batch-size"]).toBe("3")
  })
})

describe("what is shown of a batch", () => {
  it("is the request of a batch of one as it was, and of others that it held several", async () => {
    const id = await hooks.webhook("shown", { batch: { size: 10, seconds: 0 }, secret: "of one" })
    await hooks.tag("shown one")
    const one = await hooks.delivery(id, "successful")
    const requestOf = async (delivery: number) =>
      (
        await hooks.api.call<{ body: string; problem: string | null; signatures: ReadonlyArray<object> }>(
          "GET",
          `/api/extras/deliveries/${delivery}/request/`
        )
      ).json
    const sent = await requestOf(one.id)
    expect(sent.body).toBe(hooks.at("shown")[0]!.body.toString())
    expect(sent.signatures).toMatchObject([{ scheme: "netbox", secret: "current" }])
    const many = await hooks.webhook("shown-many", { batch: { size: 2, seconds: long } })
    await tags("shown-many", 2)
    const [first] = await hooks.deliveries(many, "successful", 2)
    expect((await requestOf(first!.id)).problem).toBe(
      "It was sent in a batch of 2 deliveries: the body of a batch is not made again."
    )
  })

  it("is tried out as a batch of one event", async () => {
    const batch = { size: 10, seconds: 1 }
    const draft = { content_types: ["extras.tag"], type_create: true, payload_url: "http://localhost/", batch }
    await hooks.tag("tried one")
    const tried = async () => {
      const { json } = await hooks.api.call<{ request: { body: string; headers: Record<string, string> } }>(
        "POST",
        "/api/extras/webhooks/trial/",
        { ...draft, body_template: "{{ events|length }} {{ events[0].data.name }}" }
      )
      return [json.request.body, json.request.headers["x-hook-batch-size"]]
    }
    // It is about the latest change that was captured.
    await expect.poll(tried).toEqual(["1 tried one", "1"])
    const rendered = await hooks.api.call("POST", "/api/extras/webhooks/render/", {
      template: "{{ events[0].name }}",
      context: { name: "given" },
      batch: true
    })
    expect(rendered.json).toMatchObject({ output: "given" })
  })

  it("is why a delivery waits, as long as it is gathered", async () => {
    await hooks.webhook("gathered", { batch: { size: 10, seconds: long } })
    await hooks.tag("gathered one")
    await hooks.webhook("after-gathered")
    await hooks.tag("after-gathered one")
    await hooks.arrived("after-gathered", 1)
    const { json: changes } = await hooks.api.call<{ results: ReadonlyArray<{ id: number }> }>(
      "GET",
      "/api/extras/object-changes/?changed_object_type=extras.tag&q=gathered+one&limit=1000"
    )
    const told = await Promise.all(
      changes.results.map(async ({ id: change }) =>
        JSON.stringify((await hooks.api.call("GET", `/api/extras/object-changes/${change}/explain/`)).json)
      )
    )
    expect(told.join()).toContain("It is gathered with others into a batch, for 300 s at most.")
  })
})

describe("the field", () => {
  it("is checked when it is written", async () => {
    const made = await hooks.api.call("POST", "/api/extras/webhooks/", {
      ...{ name: "wrong", content_types: ["extras.tag"], type_create: true, payload_url: "http://localhost/" },
      batch: { size: 0, seconds: 1 }
    })
    expect([made.status, made.json]).toEqual([400, { batch: ["size must be a whole number from 1 to 500."] }])
  })

  it("can be taken back while deliveries are gathered: they go one by one", async () => {
    const id = await hooks.webhook("single", { batch: { size: 50, seconds: long } })
    await tags("single", 3)
    // This delivery of another webhook was queued after them.
    await hooks.webhook("after-single")
    await hooks.tag("after-single one")
    await hooks.arrived("after-single", 1)
    await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, { batch: null })
    await hooks.arrived("single", 3)
    expect(hooks.at("single").map(({ headers }) => headers["x-hook-batch-size"])).toEqual([
      undefined,
      undefined,
      undefined
    ])
  })
})

/** Webhooks that write to the service itself: their loop ends, with an alarm, and other webhooks hear of every change. */
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startReceiver } from "../support/Receiver.ts"
import { type Delivery, startDelivering } from "./Delivering.ts"

const hooks = startDelivering({ pace: 0.2 })

let token: string
beforeAll(async () => void (token = await hooks.api.newToken()))

/** Makes a webhook that makes one more tag of this name for each. */
const breeding = (name: string, letter: string, fields: Json = {}) =>
  hooks.webhook(`${name} ${letter}`, {
    payload_url: `${hooks.api.service.url}/api/extras/tags/`,
    additional_headers: `Authorization: Token ${token}`,
    body_template: `{"name": "{{ data.name }}${letter}", "slug": "{{ data.slug }}${letter}"}`,
    conditions: { attr: "name", op: "regex", value: `${name} ` },
    ...fields
  })

/** Makes a tag by a request with this chain. */
const createTag = async (tag: Json, chain: string): Promise<number> => {
  const headers = { "x-hook-chain": chain, authorization: `Token ${token}`, "content-type": "application/json" }
  const url = `${hooks.api.service.url}/api/extras/tags/`
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(tag) })).status
}

const tagsOf = async (name: string) => {
  const path = `/api/extras/tags/?name__isw=${encodeURIComponent(`${name} `)}&limit=1000`
  const { json } = await hooks.api.call<{ results: ReadonlyArray<{ name: string }> }>("GET", path)
  return json.results.map((tag) => tag.name).toSorted()
}

const problemOf = async () => {
  const { json } = await hooks.api.call<{ processes: ReadonlyArray<{ parts: Json }> }>("GET", "/api/status/")
  return json.processes.map(({ parts }) => String((parts["health"] as Json)["problem"])).join()
}

describe("a webhook that writes to the service", () => {
  it("is stopped when its own deliveries fired it four times; others hear of each change", async () => {
    const heard = await hooks.webhook("alone")
    const id = await breeding("alone", "x")
    await hooks.tag("alone t")
    const [stopped] = await hooks.deliveries(id, "failed", 1)
    await hooks.deliveries(heard, "successful", 5)
    expect(await tagsOf("alone")).toEqual(["alone t", "alone tx", "alone txx", "alone txxx", "alone txxxx"])
    expect(stopped).toMatchObject({
      reason: "Loop",
      attempts: 1,
      message: "A loop: 4 deliveries in a row led to the change, and this webhook made some of them."
    })
    expect(await hooks.deliveries(id, "successful", 4)).toHaveLength(4)
    await eventually("the alarm", async () =>
      (await problemOf()).includes(`a loop of deliveries was stopped: webhook ${id}`)
    )
    expect(hooks.api.service.output()).toContain(`webhook ${id} is stopped. A loop`)
    // A loop of one user's webhooks takes nothing from the others.
    expect((await hooks.api.call("GET", "/health/ready")).status).toBe(200)
    const metrics = await hooks.api.call("GET", "/metrics")
    expect(metrics.text).toMatch(/^rackwire_attempt_failures_total\{reason="Loop"\} \d/m)

    // A reader of the change may have no right to view each webhook that led to it.
    const { request_id } = (await hooks.api.call<Json>("GET", `/api/extras/deliveries/${stopped!.id}/`)).json
    const journeys = await hooks.api.call<{ results: ReadonlyArray<{ request: Json }> }>(
      "GET",
      `/api/extras/journeys/?request_id=${String(request_id)}`
    )
    expect(Object.keys(journeys.json.results[0]!.request)).toEqual(["method", "path", "token"])

    // By hand it comes no further: the change is the same, and so is its chain.
    await hooks.api.call("POST", `/api/extras/deliveries/${stopped!.id}/retry/`)
    const again = await eventually("the retry", async () => {
      const { json } = await hooks.api.call<Json>("GET", `/api/extras/deliveries/${stopped!.id}/`)
      return json["attempts"] === 2 && json
    })
    expect(again).toMatchObject({ status: { value: "failed" }, reason: "Loop" })
    await hooks.api.call("POST", `/api/extras/webhooks/${id}/replay/`, { since: "2020-01-01" })
    await hooks.deliveries(id, "failed", 2)
    // Each of the others makes a tag that is there already.
    await hooks.deliveries(id, "retrying", 4)
    expect(await tagsOf("alone")).toHaveLength(5)
    await hooks.api.call("DELETE", `/api/extras/webhooks/${id}/`)
  })

  it("is stopped beside another one that doubles it", async () => {
    const [a, b] = [await breeding("pair", "a"), await breeding("pair", "b")]
    await hooks.tag("pair t")
    // One webhook alone made two of the 16 tags of four letters: the other webhook may go on with these once.
    await Promise.all([hooks.deliveries(a, "failed", 17), hooks.deliveries(b, "failed", 17)])
    const tags = await tagsOf("pair")
    expect(tags).toHaveLength(1 + 2 + 4 + 8 + 16 + 2)
    expect(tags.filter((name) => name.length > "pair taaaa".length)).toEqual(["pair taaaab", "pair tbbbba"])
    for (const id of [a, b]) expect(await hooks.deliveries(id, "successful", 16)).toHaveLength(16)
  })

  it("is stopped where it sends batches, which lengthen the longest of their chains", async () => {
    const id = await breeding("batch", "x", {
      batch: { size: 10, seconds: 0 },
      body_template: `[{% for e in events %}{"name": "{{ e.data.name }}x", "slug": "{{ e.data.slug }}x"}{{ '' if loop.last else ',' }}{% endfor %}]`
    })
    await hooks.tag("batch t")
    await hooks.deliveries(id, "failed", 1)
    expect(await tagsOf("batch")).toHaveLength(5)
  })

  it("is stopped where a receiver between them passes the header on, which the log does not show", async () => {
    let made = 0
    const relay = await startReceiver(async ({ headers, body }) => {
      const { data } = JSON.parse(body.toString()) as { data: { name: string; slug: string } }
      const chain = String(headers["x-hook-chain"])
      made += 1
      return await createTag({ name: `${data.name}x`, slug: `${data.slug}x` }, chain)
    })
    onTestFinished(() => relay.close())
    const id = await hooks.webhook("relay", { payload_url: relay.url })
    await hooks.tag("relay t")
    await hooks.deliveries(id, "failed", 1)
    expect([made, await tagsOf("relay")]).toEqual([4, expect.objectContaining({ length: 5 })])
    const [sent] = await hooks.deliveries(id, "successful", 4)
    const { json } = await hooks.api.call<Delivery>("GET", `/api/extras/deliveries/${sent!.id}/`)
    const names = (json.attempt_log[0]!["request_headers"] as ReadonlyArray<{ name: string }>).map(({ name }) => name)
    expect(names).toContain("x-hook-attempt")
    expect(names).not.toContain("x-hook-chain")
  })

  it("is not stopped by a header that somebody invented", async () => {
    const id = await hooks.webhook("forged")
    expect(await createTag({ name: "forged t", slug: "forged-t" }, `chain:${[id, id, id, id].join(",")}`)).toBe(201)
    await hooks.arrived("forged", 1)
  })
})

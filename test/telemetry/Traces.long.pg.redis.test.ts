/**
 * The trace of a change, from the request that made it to its receiver and to a collector.
 * Processes, because each has one exporter.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Record<string, unknown> }>
  readonly status: { readonly code: number; readonly message?: string }
}

let collector: Receiver
let receiver: Receiver
let api: Api
let token: string

beforeAll(async () => {
  collector = await startReceiver()
  receiver = await startReceiver(({ path, headers }) =>
    path === "/traced" && headers["x-hook-attempt"] === "1" ? 503 : 200
  )
  api = await startApiProcess({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-team=net%20ops,x-other=1",
    TRACE_RATIO: "0"
  })
  token = await api.newToken()
  await api.call("POST", "/api/extras/webhooks/", {
    ...{ name: "traced", content_types: ["extras.tag"], type_create: true, payload_url: `${receiver.url}/traced` },
    retry_schedule: { kind: "fixed", delay: 0.1, attempts: 3 }
  })
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
  await collector.close()
})

const spans = (): ReadonlyArray<Span> =>
  collector.received.flatMap(({ body }) => {
    const sent = JSON.parse(body.toString()) as {
      readonly resourceSpans: ReadonlyArray<{
        readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
      }>
    }
    return sent.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans))
  })

const makeTag = async (name: string, traceparent?: string) => {
  const made = await fetch(`${api.service.url}/api/extras/tags/`, {
    method: "POST",
    headers: {
      ...{ authorization: `Token ${token}`, "content-type": "application/json" },
      ...(traceparent !== undefined && { traceparent })
    },
    body: JSON.stringify(named(name))
  })
  expect(made.status).toBe(201)
  return made.headers.get("x-request-id")!
}

const arrived = (name: string, attempt: string) =>
  receiver.until(({ body, headers }) => body.includes(`"${name}"`) && headers["x-hook-attempt"] === attempt, name)

const client = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" }

describe("a change whose request is traced", () => {
  it("gives a span for each stage and attempt, and its receiver the id of the attempt's", async () => {
    const requestId = await makeTag("traced", `00-${client.traceId}-${client.spanId}-01`)
    const sent = [await arrived("traced", "1"), await arrived("traced", "2")]
    const all = await eventually("six spans", () => {
      const found = spans().filter(({ traceId }) => traceId === client.traceId)
      return found.length >= 6 && found
    })
    const change = all.find(({ name }) => name === "change")!
    expect(change).toMatchObject({ parentSpanId: client.spanId, kind: 1, status: { code: 0 } })
    const others = all.filter((span) => span !== change)
    expect(others.map(({ name }) => name).toSorted()).toEqual(["attempt", "attempt", "capture", "match", "queue"])
    expect(new Set(others.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([change.spanId]))
    expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(6)
    expect(all.filter((span) => BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano))).toEqual([])
    const attempts = others.filter(({ name }) => name === "attempt")
    expect(sent.map(({ headers }) => headers["traceparent"])).toEqual(
      attempts.map(({ spanId }) => `00-${client.traceId}-${spanId}-01`)
    )
    expect(attempts.map(({ kind, status }) => [kind, status.code])).toEqual([
      [3, 2],
      [3, 0]
    ])
    const attributes = Object.fromEntries(
      attempts[0]!.attributes.map(({ key, value }) => [key, Object.values(value)[0]])
    )
    expect(attributes).toMatchObject({
      "rackwire.request_id": requestId,
      "rackwire.delivery": sent[0]!.headers["x-hook-delivery"],
      "rackwire.outcome": "retrying",
      "error.type": "Status"
    })
    expect(Number(attributes["http.response.status_code"])).toBe(503)
    const [{ path, headers } = {}] = collector.received as ReadonlyArray<
      (typeof collector.received)[number] | undefined
    >
    expect([path, headers?.["content-type"], headers?.["x-team"], headers?.["x-other"]]).toEqual([
      ...["/v1/traces", "application/json", "net ops", "1"]
    ])
  })

  it("is traced when it is sent again from the change log", async () => {
    const before = receiver.received.length
    const { json } = await api.call<{ results: ReadonlyArray<{ id: number }> }>("GET", "/api/extras/deliveries/")
    await api.call("POST", `/api/extras/deliveries/${json.results[0]!.id}/retry/`, { again: true })
    await receiver.untilAll((all) => all.length > before)
    expect(receiver.received.at(-1)!.headers["traceparent"]).toMatch(
      new RegExp(`^00-${client.traceId}-[0-9a-f]{16}-01$`)
    )
  })

  it("shows templates and events nothing of it", async () => {
    const { body } = receiver.received[0]!
    expect(body.toString()).not.toContain(client.traceId)
  })
})

describe("a change whose request is not traced", () => {
  it("passes the client's id on as it came", async () => {
    const traceparent = `00-${client.traceId}-${client.spanId}-00`
    await makeTag("passed on", traceparent)
    expect((await arrived("passed on", "2")).headers["traceparent"]).toBe(traceparent)
  })

  it.each([
    ["none", undefined],
    ["an invalid one", `00-${"0".repeat(32)}-${client.spanId}-01`],
    ["a long one", `cc-${client.traceId}-${client.spanId}-01-${"x".repeat(8000)}`]
  ])("sends no id if there was %s", async (what, traceparent) => {
    await makeTag(`with ${what}`, traceparent)
    expect((await arrived(`with ${what}`, "2")).headers["traceparent"]).toBeUndefined()
  })

  it("sends none for a context of plain SQL that made one up", async () => {
    const context = { user: "x", request: crypto.randomUUID(), method: "POST", path: "/", traceparent: "00-1-2-01" }
    await api.database.sql.transaction(
      `select pg_logical_emit_message(true, 'rackwire:ctx:v1', '${JSON.stringify(context)}')::text`,
      "insert into extras_tag (name, slug) values ('made up', 'made-up')"
    )
    expect((await arrived("made up", "2")).headers["traceparent"]).toBeUndefined()
  })
})

it("a collector that accepts connections and never answers delays no change, no delivery and no shutdown", async () => {
  const hanging = await startReceiver(() => new Promise(() => {}))
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: hanging.url, TRACE_RATIO: "1" }
  const other = await startApiProcess(environment)
  await other.call("POST", "/api/extras/webhooks/", {
    ...{ name: "hanging", content_types: ["extras.tag"], type_create: true, payload_url: `${receiver.url}/hanging` }
  })
  await hanging.until(() => true, "spans")
  for (let n = 0; n < 5; n++) await other.call("POST", "/api/extras/tags/", named(`hanging ${n}`))
  await receiver.untilAll((all) => all.filter(({ path }) => path === "/hanging").length >= 5)
  await other.stop()
  await hanging.close()
  expect(other.service.process.exitCode).toBe(0)
})

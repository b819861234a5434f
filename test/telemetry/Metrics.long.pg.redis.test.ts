/**
 * Metrics that a running service exposes, and whether the alerts and the dashboard ask for them.
 * A process, because counters belong to one.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Json, named } from "../support/Client.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { openSql } from "../support/Sql.ts"
import { superuserUrlOf } from "../support/EmbeddedServers.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type Exposed, readExposition } from "./Exposed.ts"
import { opsFile, queries, rules } from "./Operations.ts"
import { hasPromtool, promtool } from "./Promtool.ts"

/** Servers of its own: Postgres has a limit for what it keeps for the slot. */
const directory = mkdtempSync(join(tmpdir(), "rackwire-metrics-"))
let service: ServiceProcess
let receiver: Receiver
let text: string
let exposed: Exposed

const scrape = async () => {
  text = (await service.call("GET", "/metrics")).text
  return (exposed = readExposition(text))
}

/** The value of the one series with these labels; 0 if there is none yet. */
const valueOf = (name: string, labels: Readonly<Record<string, string>> = {}): number =>
  exposed.samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
  )?.value ?? 0

beforeAll(async () => {
  receiver = await startReceiver(({ path, headers }) =>
    path === "/failing" && headers["x-hook-attempt"] !== "3" ? 500 : path === "/gone" ? 400 : 200
  )
  service = await startProcess({ RACKWIRE_DATA_DIR: join(directory, "data") }, { pace: 0.2 })
  const databaseUrl = readFileSync(join(directory, "data", "database-url"), "utf8").trim()
  const superuser = openSql(superuserUrlOf(join(directory, "data"), databaseUrl))
  await superuser.query("alter system set max_slot_wal_keep_size = '10GB'")
  await superuser.query("select pg_reload_conf()")
  await superuser.close()
  const hook = { content_types: ["extras.tag"], type_create: true, body_template: "{{ data.name }}" }
  const soon = { kind: "fixed", delay: 0.1, attempts: 5 }
  const never = { kind: "fixed", delay: 0.1, attempts: 1 }
  for (const [name, retry_schedule] of [
    ["fine", soon],
    ["failing", soon],
    ["gone", never]
  ] as const) {
    const payload_url = `${receiver.url}/${name}`
    await service.call("POST", "/api/extras/webhooks/", { ...hook, name, payload_url, retry_schedule })
  }
  await service.call("POST", "/api/extras/tags/", named("one"))
  await service.call("GET", "/api/dcim/sites/77/")
  await fetch(`${service.url}/api/dcim/sites/`, { headers: { authorization: "Token x" } })
  await eventually("three deliveries have ended and the limit of the slot is known", async () => {
    await scrape()
    const ended = ["delivered", "failed"].map((outcome) => valueOf("rackwire_deliveries_ended_total", { outcome }))
    const isLogged = valueOf("rackwire_log_batch_size_sum") === 5
    return ended[0] === 2 && ended[1] === 1 && isLogged && valueOf("rackwire_wal_limit_bytes") > 0
  })
})

afterAll(async () => {
  await service.stop()
  await receiver.close()
  rmSync(directory, { recursive: true, force: true })
})

/** The metrics in an expression, each with the labels that it is asked by. */
const askedIn = (expr: string) => {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/, */))
  return [...expr.matchAll(/(rackwire_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", matchers = ""]) => ({
    name,
    labels: [...grouped, ...[...matchers.matchAll(/(\w+)(?:=~|!=|!~|=)/g)].map(([, label = ""]) => label)]
  }))
}

describe("the metrics of a service", () => {
  it("count its events, deliveries, attempts, requests and refusals", () => {
    expect(valueOf("rackwire_events_total")).toBeGreaterThanOrEqual(4)
    expect(valueOf("rackwire_deliveries_queued_total")).toBe(3)
    expect(valueOf("rackwire_commit_to_queued_seconds_count")).toBe(3)
    expect(valueOf("rackwire_queued_to_sent_seconds_count")).toBe(3)
    expect(valueOf("rackwire_retry_lateness_seconds_count")).toBe(2)
    const attempts = ["delivered", "retrying", "failed"].map((outcome) =>
      valueOf("rackwire_attempt_duration_seconds_count", { outcome })
    )
    expect(attempts).toEqual([2, 2, 1])
    expect(valueOf("rackwire_attempt_failures_total", { reason: "Status" })).toBe(3)
    expect(valueOf("rackwire_render_duration_seconds_count", { outcome: "rendered" })).toBe(5)
    expect(valueOf("rackwire_log_batch_size_sum")).toBe(5)
    const requests = { route: "/api/extras/webhooks/", method: "POST", status: "201" }
    expect(valueOf("rackwire_http_request_duration_seconds_count", requests)).toBe(3)
    expect(valueOf("rackwire_http_requests_refused_total", { reason: "NotFound" })).toBe(1)
    expect(valueOf("rackwire_http_requests_refused_total", { reason: "UnknownToken" })).toBe(1)
  })

  it("have a bucket for each time, so that the largest holds all", () => {
    const last = valueOf("rackwire_commit_to_queued_seconds_bucket", { le: "+Inf" })
    expect(last).toBe(valueOf("rackwire_commit_to_queued_seconds_count"))
    expect(valueOf("rackwire_commit_to_queued_seconds_bucket", { le: "60" })).toBe(last)
    expect(valueOf("rackwire_commit_to_queued_seconds_sum")).toBeGreaterThan(0)
  })

  it("show a queue that nobody works off, with the age of its oldest change", async () => {
    const sending = (what: string) => service.call("POST", `/api/core/sending/${what}/`)
    expect((await sending("pause")).status).toBe(200)
    await eventually("the process heeds it", async () => {
      const path = "/api/core/background-workers/"
      const { json } = await service.call<{ readonly results: ReadonlyArray<Json> }>("GET", path)
      return json.results.every(({ state }) => state === "paused")
    })
    await service.call("POST", "/api/extras/tags/", named("two"))
    await eventually("three wait", async () => {
      await scrape()
      return valueOf("rackwire_deliveries_queued") === 3 && valueOf("rackwire_deliveries_oldest_seconds") > 1
    })
    expect(valueOf("rackwire_sending_stopped")).toBe(1)
    await sending("resume")
    await eventually("none waits", async () => {
      await scrape()
      return valueOf("rackwire_deliveries_queued") === 0 && valueOf("rackwire_deliveries_oldest_seconds") === 0
    })
  })

  it("name no path, method or reason that only a client made up", async () => {
    await fetch(`${service.url}/api/made-up/`, { method: "BREW" }).catch(() => undefined)
    await fetch(`${service.url}/api/dcim/sites/12345/?x=made-up`, { method: "PROPFIND" })
    for (const path of ["dcim/sites", "dcim/racks"]) await fetch(`${service.url}/api/${path}/`, { method: "DELETE" })
    await scrape()
    expect(text).not.toMatch(/\/api\/dcim\/(sites|racks)\/",method="DELETE"/)
    expect(text).not.toMatch(/made-up|12345|PROPFIND/)
    expect(valueOf("rackwire_http_request_duration_seconds_count", { method: "other" })).toBeGreaterThan(0)
  })
})

describe("alerts and dashboard", () => {
  it("ask for metrics and labels that there are", () => {
    const missing = [...rules, ...queries].flatMap(({ expr }) => {
      const asked = askedIn(expr)
      const absent = asked.filter(({ name, labels }) => {
        const sample = exposed.samples.find((each) => each.name === name)
        return sample === undefined || labels.some((label) => !(label in sample.labels))
      })
      return asked.length === 0 ? [expr] : absent.map(({ name, labels }) => `${expr}: ${name} ${labels.join(" ")}`)
    })
    expect(missing).toEqual([])
  })

  it("name labels in legends that the result of their query has", () => {
    const wrong = queries.filter(({ expr, legendFormat }) =>
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].some(([, name = ""]) => {
        const grouped = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */)
        // Prometheus itself adds the instance, which an aggregation removes.
        return grouped === undefined ? name !== "instance" || expr.includes("(") : !grouped.includes(name)
      })
    )
    expect(wrong).toEqual([])
  })
})

describe.runIf(hasPromtool)("promtool", () => {
  it("has nothing to say about the metrics", () => {
    expect(promtool(["check", "metrics"], text)).toEqual({ code: 0, output: "" })
  })

  it("accepts the rules, and their tests pass", () => {
    expect(promtool(["check", "rules", opsFile("prometheus/rules.yml")])).toMatchObject({ code: 0 })
    expect(promtool(["test", "rules", opsFile("prometheus/rules.test.yml")])).toMatchObject({ code: 0 })
  })

  it("accepts the queries of the dashboard", () => {
    const file = join(directory, "queries.json")
    const recorded = queries.map(({ expr }, at) => ({ record: `query_${at}`, expr }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules: recorded }] }))
    expect(promtool(["check", "rules", file])).toMatchObject({ code: 0 })
  })
})

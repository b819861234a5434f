/** The numbers about deliveries: over time, by value, by cause; and the filters that only they have. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type User, makeUser } from "../auth/Users.ts"
import { everyAttempt } from "../../src/inventory/AttemptLog.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { fillLog } from "../support/FilledLog.ts"

let api: Api

const path = "/api/extras/deliveries/"
const webhooks = 20

/** The start of the day before today: the log has deliveries before it as well. */
let since: string

beforeAll(async () => {
  // Nothing is delivered meanwhile.
  api = await startApiAlone()
  await fillLog(api.database.sql, { deliveries: 90_000, webhooks, days: 3, attempts: 6000 })
  since = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000).toISOString()
})
afterAll(() => api.stop())

const get = async <A = Json>(query: string, user?: User) => {
  const { status, json } =
    user === undefined ? await api.call<Json>("GET", path + query) : await user.call("GET", path + query)
  return { status, json: json as A }
}

interface Counts {
  readonly successful: number
  readonly failed: number
}

interface Histogram {
  readonly total: number
  readonly totals: Counts
  readonly buckets: ReadonlyArray<Counts & { readonly since: string; readonly until: string }>
}

interface Facets {
  readonly looked_at: number
  readonly complete: boolean
  readonly facets: Readonly<
    Record<string, ReadonlyArray<{ readonly value: string; readonly label: string; readonly count: number }>>
  >
}

const counted = async (condition: string): Promise<number> => {
  const [row] = await api.database.sql.query<{ readonly count: number }>(
    `select count(*)::int as count from extras_delivery where ${condition}`
  )
  return row!.count
}

describe("the histogram", () => {
  it("counts the deliveries of a span by outcome, and each bucket is a filter that gives as many", async () => {
    const until = new Date(Date.parse(since) + 6 * 3_600_000).toISOString()
    const { json } = await get<Histogram>(`histogram/?time__gte=${since}&time__lt=${until}&webhook_id=1&webhook_id=2`)
    const span = `time >= '${since}' and time < '${until}' and webhook_id in (1, 2)`
    expect(json).toMatchObject({ since, until, step_seconds: 600, estimated: false, total: await counted(span) })
    expect(json.totals.failed).toBe(await counted(`${span} and status = 'failed'`))
    expect(json.buckets).toHaveLength(36)
    const sums = json.buckets.map((bucket) =>
      Object.values(bucket).reduce<number>((sum, each) => sum + (typeof each === "number" ? each : 0), 0)
    )
    expect(sums.reduce((sum, each) => sum + each)).toBe(json.total)
    const [bucket] = json.buckets
    const listed = await get(
      `?time__gte=${bucket!.since}&time__lt=${bucket!.until}&webhook_id=1&webhook_id=2&status=successful`
    )
    expect(listed.json["count"]).toBe(bucket!.successful)
  })

  it("is of the last day if no time is named", async () => {
    const { json } = await get<Histogram>("histogram/")
    expect(json.buckets.length).toBeGreaterThan(20)
    expect(json.total).toBe(await counted(`time >= '${json.buckets[0]!.since}'`))
  })

  it("of a long span begins with the log", async () => {
    const { json } = await get<Histogram>("histogram/?time__gte=1970-01-01")
    const [{ oldest }] = (await api.database.sql.query<{ readonly oldest: Date }>(
      "select min(time) as oldest from extras_delivery"
    )) as [{ readonly oldest: Date }]
    expect(Math.abs(Date.parse(json.buckets[0]!.since) - oldest.getTime())).toBeLessThan(1000)
    expect(json.total).toBe(await counted("true"))
  })
})

describe("facets", () => {
  it("are values with their counts, and each value is a filter that gives as many", async () => {
    const { json } = await get<Facets>(`facets/?time__gte=${since}&status=failed`)
    const span = `time >= '${since}' and status = 'failed'`
    expect(json).toMatchObject({ complete: true, looked_at: await counted(span) })
    expect(Object.keys(json.facets)).toHaveLength(7)
    expect(json.facets["status"]).toEqual([{ value: "failed", label: "Failed", count: json.looked_at }])
    expect(json.facets["webhook_id"]![0]).toMatchObject({ value: "1", label: "webhook 1" })
    for (const [name, values] of Object.entries(json.facets)) {
      const [{ value, count }] = values as [(typeof values)[number]]
      const listed = await get(`?time__gte=${since}&status=failed&${name}=${value}`)
      expect([name, listed.json["count"]]).toEqual([name, count])
    }
  })

  it("say so when they did not look at everything", async () => {
    const { json } = await get<Facets>("facets/")
    expect(json.complete).toBe(false)
    expect(json.facets["status"]![0]).toMatchObject({ value: "successful", count: 10_000 })
    const failed = json.facets["status"]!.find(({ value }) => value === "failed")
    expect(failed!.count).toBe(await counted("status = 'failed'"))
  })
})

describe("a search", () => {
  it("looks into the answers of attempts", async () => {
    const [known] = await api.database.sql.query<{ readonly delivery_id: string; readonly body: string }>(
      `select delivery_id, response_body as body from ${everyAttempt} a order by time desc offset 100 limit 1`
    )
    const words = /answer \d+ of/i.exec(known!.body)![0].toUpperCase()
    const { json } = await get<{ results: ReadonlyArray<Json> }>(`?contains=${encodeURIComponent(words)}`)
    expect(json.results).toMatchObject([{ delivery_id: known!.delivery_id }])
  })

  it("looks at the newest 5000 of those that the other filters leave, whatever their order", async () => {
    const all = (await get("?contains=e&status=successful")).json["count"]
    expect(all).toBeLessThanOrEqual(5000)
    expect((await get("?status=failed&contains=accept")).json["count"]).toBe(await counted("status = 'failed'"))
    expect((await get("?contains=accept&status=failed")).json["count"]).toBe(await counted("status = 'failed'"))
  })
})

describe("somebody who may view some webhooks only", () => {
  it("gets counts of their deliveries, and of no others", async () => {
    const user = await makeUser(
      api,
      "some webhooks",
      { types: ["extras.delivery", "dcim.device", "dcim.interface"], actions: ["view"] },
      { types: ["extras.webhook"], actions: ["view"], constraints: { name__in: ["webhook 2", "webhook 3"] } }
    )
    const theirs = `webhook_id in (2, 3) and object_type in ('dcim.device', 'dcim.interface')`
    const span = `time >= '${since}' and ${theirs}`
    const histogram = await get<Histogram>(`histogram/?time__gte=${since}`, user)
    expect(histogram.json.total).toBe(await counted(`${span} and time < now()`))
    const facets = await get<Facets>(`facets/?time__gte=${since}`, user)
    expect(facets.json.looked_at).toBe(await counted(span))
    expect(facets.json.facets["webhook_id"]!.map(({ label }) => label).toSorted()).toEqual(["webhook 2", "webhook 3"])
    expect(facets.json.facets["host"]!.map(({ value }) => value)).toHaveLength(2)
    const failures = await get<{ results: ReadonlyArray<{ count: number }> }>("failures/", user)
    const failed = failures.json.results.reduce((sum, { count }) => sum + count, 0)
    expect(failed).toBe(await counted(`${theirs} and status in ('failed', 'retrying')`))
    // A host of a hidden webhook is not told from one of none.
    expect((await get("?host=host-4.example.com", user)).json["count"]).toBe(0)
    expect((await get("?host=host-4.example.com")).json["count"]).toBeGreaterThan(0)
  })

  it("gets nothing without the permission", async () => {
    const nobody = await makeUser(api, "no deliveries")
    expect((await get("histogram/", nobody)).status).toBe(403)
    expect((await get("facets/", nobody)).status).toBe(403)
  })
})

describe("the plans of the default pages", () => {
  /** The days that a statement reads whole, except the present one, which may have begun just now, and the empty next one. */
  const scansOf = async (statement: string) => {
    const days = await api.database.sql.query<{ readonly day: string }>(
      `select to_char(now() at time zone 'UTC' + n * interval '1 day', 'YYYYMMDD') as day from generate_series(0, 1) n`
    )
    const plan = await api.database.sql.query<{ readonly "QUERY PLAN": string }>(`explain (costs off) ${statement}`)
    return plan
      .map((line) => line["QUERY PLAN"])
      .filter((line) => /Seq Scan on (extras_delivery|rackwire_attempt)/.test(line))
      .filter((line) => !days.some(({ day }) => line.includes(day)))
  }

  it.each([
    [
      "the list of a day",
      (day: string) => `select * from extras_delivery t where ${day} order by time desc, id desc limit 50`
    ],
    ["its count", (day: string) => `select count(*) from (select from extras_delivery t where ${day} limit 100001) t`],
    [
      "what failed in it",
      (day: string) =>
        `select * from extras_delivery t where ${day} and status = 'failed' order by time desc, id desc limit 50`
    ],
    [
      "the histogram",
      (day: string) =>
        `select b, (select count(*) from extras_delivery t where ${day} and t.time >= b and t.time < b + interval '1 hour')
           from generate_series(now() - interval '1 day', now(), interval '1 hour') b`
    ],
    [
      "the histogram of what is not successful",
      (day: string) =>
        `select b, (select count(*) filter (where t.status = 'failed') from extras_delivery t
                     where ${day} and t.status <> 'successful' and t.time >= b and t.time < b + interval '1 hour')
           from generate_series(now() - interval '1 day', now(), interval '1 hour') b`
    ],
    [
      "the newest unsuccessful ones, for facets",
      (day: string) =>
        `select reason from extras_delivery t where ${day} and t.status <> 'successful' order by t.time desc limit 10000`
    ],
    [
      "the causes of failures of all time",
      () =>
        `select webhook_id, status, reason, response_status, count(*), min(last_attempt), max(last_attempt), max(id)
           from extras_delivery t where t.status in ('failed', 'retrying') and t.reason <> ''
          group by 1, 2, 3, 4`
    ]
  ])("read no day whole: %s", async (_, statement) => {
    expect(await scansOf(statement(`t.time >= '${since}'`))).toEqual([])
  })
})

it("what is not understood is refused by name", async () => {
  for (const what of ["histogram", "facets"]) {
    expect(await get(`${what}/?status=sent`)).toMatchObject({ status: 400, json: { status: expect.any(Array) } })
    expect(await get(`${what}/?hots=x&strict=true`)).toMatchObject({ status: 400, json: { hots: expect.any(Array) } })
    expect(await get(`${what}/?time__gte=yesterday`)).toMatchObject({
      status: 400,
      json: { time__gte: expect.any(Array) }
    })
  }
})

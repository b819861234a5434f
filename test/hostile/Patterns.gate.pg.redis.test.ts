/** Regular expressions that Postgres takes long to evaluate: two at once in a short queue, and others overtake them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApiAlone } from "../support/Api.ts"
import { named, request } from "../support/Client.ts"
import { startService } from "../support/Service.ts"
import { causesOf } from "./Causes.ts"
import { expectQuickPatternsAnswered, fillSites, lockSites, looker, slow, storm } from "./PatternAttacks.ts"
import { thorough } from "../support/Seed.ts"

/** A service with little time for a statement, and one with the usual time. */
let api: Api
let usual: Api
let token: string

/** Patterns that run at once and that wait, of RequestSql.ts. */
const [running, waiting] = [2, 8]

beforeAll(async () => {
  api = await startApiAlone({ REQUEST_STATEMENT_TIMEOUT: "500 millis" })
  const service = await startService(environmentOf(api.database), { roles: ["api"] })
  usual = {
    ...api,
    service,
    call: service.call,
    raw: (method, path, body, key = "") => request(service.url, key, method, path, body)
  }
  await fillSites(api, 25)
  token = await looker(api, "looker", null)
})
afterAll(async () => {
  await usual.service.stop()
  await api.stop()
})

/** The most statements with a pattern that Postgres ran at once during the work. */
const mostAtOnce = async <A>(work: Promise<A>): Promise<number> => {
  const ended = new AbortController()
  const watched = work.finally(() => ended.abort())
  const counted = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'active' and query ~ ' ~\\*? \\$\\d' and pid <> pg_backend_pid()`
  let most = 0
  while (!ended.signal.aborted) {
    const [row] = await api.database.superuser.query<{ readonly count: number }>(counted)
    most = Math.max(most, row!.count)
  }
  await watched
  return most
}

describe("patterns at once", () => {
  thorough("from two users run two at a time, and those beyond the queue are asked to retry", async () => {
    const other = await looker(api, "another looker", null)
    // A user has eight reads under way.
    const paths = Array.from({ length: (running + waiting + 4) / 2 }, () => `/api/dcim/sites/?comments__regex=${slow}`)
    let most = 0
    const { answer, overtaking } = await causesOf(api, async () => {
      const replies = Promise.all([storm(api, paths, token), storm(api, paths, other)]).then((all) => all.flat())
      most = await mostAtOnce(replies)
      return replies
    })
    const statuses = answer.map(({ status }) => status)
    expect(statuses.filter((status) => ![400, 429, 503].includes(status))).toEqual([])
    expect(answer.some(({ text }) => text.includes("regular expression takes too long"))).toBe(true)
    const later = answer.filter(({ status }) => status !== 400)
    expect(later.length).toBeGreaterThan(0)
    expect(later.every(({ headers }) => Number(headers.get("retry-after")) > 0)).toBe(true)
    expect([most > 0, most <= running]).toEqual([true, true])
    expect(overtaking).toBeGreaterThan(paths.length)
  })

  it("from constraints of permissions run two at a time", async () => {
    const bound = await looker(api, "bound", { comments__regex: decodeURIComponent(slow) })
    const paths = ["/api/dcim/sites/", "/api/dcim/sites/1/?a", "/api/dcim/sites/export/", "/api/dcim/sites/?q=big"]
    const replies = storm(api, paths, bound)
    const most = await mostAtOnce(replies)
    const statuses = (await replies).map(({ status }) => status)
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([])
    expect([most > 0, most <= running]).toEqual([true, true])
  })
})

describe("statements of requests", () => {
  it("that read for too long are answered with a time to retry, and others before them", async () => {
    const unlocked = await lockSites(api, 2)
    const [read, count, written, health, other] = await Promise.all([
      api.raw("GET", "/api/dcim/sites/1/", undefined, token),
      api.raw("GET", "/api/dcim/sites/?limit=1", undefined, token),
      api.call("POST", "/api/dcim/sites/", named("patient")),
      api.raw("GET", "/health/ready"),
      usual.call("GET", "/api/dcim/manufacturers/")
    ])
    for (const { status, text, headers } of [read, count]) {
      expect([status, text, headers.get("retry-after")]).toEqual([503, expect.stringContaining("takes too long"), "5"])
    }
    expect([written.status, health.status, other.status]).toEqual([201, 200, 200])
    await unlocked()
  })

  expectQuickPatternsAnswered(() => ({ api: usual, token }))
})

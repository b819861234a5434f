/**
 * Regular expressions that Postgres takes long to evaluate, of a user who may only view sites. The service runs
 * as a process, because its memory and the waits of others are measured.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { named } from "../support/Client.ts"
import { Bystander, expectCalm } from "./Bystander.ts"
import { expectQuickPatternsAnswered, fillSites, lockSites, looker, slow, storm } from "./PatternAttacks.ts"

let api: Api<ServiceProcess>
let token: string
let bystander: Bystander

beforeAll(async () => {
  api = await startApiProcess({ REQUEST_STATEMENT_TIMEOUT: "3 seconds" })
  await fillSites(api, 60)
  token = await looker(api, "looker", null)
  bystander = await Bystander.arrive(api)
})

afterAll(async () => {
  await bystander.leave()
  await api.stop()
})

describe("twenty patterns at once", () => {
  it("from one user do not delay others", async () => {
    const paths = Array.from({ length: 20 }, () => `/api/dcim/sites/?comments__regex=${slow}`)
    let replies: Awaited<ReturnType<typeof storm>> = []
    const observed = await bystander.during(async () => {
      replies = await storm(api, paths, token)
    })
    expect(
      replies.filter(({ status }) => ![400, 429, 503].includes(status)).map(({ text }) => text.slice(0, 200))
    ).toEqual([])
    expect(replies.some(({ text }) => text.includes("regular expression takes too long"))).toBe(true)
    const later = replies.filter(({ status }) => status !== 400)
    expect(later.every(({ headers }) => Number(headers.get("retry-after")) > 0)).toBe(true)
    expectCalm(observed)
  })

  it("from constraints of permissions do not delay others", async () => {
    const keys = await Promise.all(
      Array.from({ length: 4 }, (_, n) => looker(api, `bound ${n}`, { comments__regex: decodeURIComponent(slow) }))
    )
    const observed = await bystander.during(async () => {
      const all = await Promise.all(
        keys.map((key) =>
          storm(
            api,
            [
              "/api/dcim/sites/",
              "/api/dcim/sites/1/?a",
              "/api/dcim/sites/export/",
              "/api/extras/object-changes/",
              "/api/dcim/sites/?q=big"
            ],
            key
          )
        )
      )
      const statuses = new Set(all.flat().map(({ status }) => status))
      expect([...statuses].filter((status) => status >= 500 && status !== 503)).toEqual([])
    })
    expectCalm(observed)
  })
})

describe("statements of requests", () => {
  it("that read for too long are answered with a time to retry; those that write have more time", async () => {
    const unlocked = await lockSites(api, 6)
    const [read, count, written, health, other] = await Promise.all([
      api.raw("GET", "/api/dcim/sites/1/", undefined, token),
      api.raw("GET", "/api/dcim/sites/?limit=1", undefined, token),
      api.call("POST", "/api/dcim/sites/", named("patient")),
      api.raw("GET", "/health/ready"),
      api.call("GET", "/api/dcim/manufacturers/")
    ])
    for (const { status, text, headers } of [read, count]) {
      expect([status, text, headers.get("retry-after")]).toEqual([503, expect.stringContaining("takes too long"), "5"])
    }
    expect([written.status, health.status, other.status]).toEqual([201, 200, 200])
    await unlocked()
  })

  expectQuickPatternsAnswered(() => ({ api, token }))
})

/** Requests of scripts of other sites: off unless an option names their origin, and with tokens only. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { corsProblem } from "../../src/http/publish/Cors.ts"
import { openBrowser } from "../auth/Browser.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { type Service, startService } from "../support/Service.ts"

/** Without any of the options, with a list and a pattern, and for every origin. */
let off: Api
let listed: Service
let all: Service
let token: string

const start = (environment: Record<string, string>): Promise<Service> => {
  const { databaseUrl, redisUrl } = off.database
  const own = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SECRET_KEY: "a key for tests, of sufficient length" }
  return startService({ ...own, ...environment }, { roles: ["api"] })
}

beforeAll(async () => {
  off = await startApiAlone()
  token = await off.newToken()
  const patterns = String.raw`https://\w+\.portal\.example,^http://localhost(:\d+)?$`
  const list = "https://portal.example,http://portal.example:8080"
  listed = await start({ CORS_ORIGIN_WHITELIST: list, CORS_ORIGIN_REGEX_WHITELIST: patterns })
  all = await start({ CORS_ORIGIN_ALLOW_ALL: "true" })
})

afterAll(async () => {
  await all.stop()
  await listed.stop()
  await off.stop()
})

const corsHeaders = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")))

const requested = (
  url: string,
  origin: string,
  headers: Record<string, string> = { authorization: `Token ${token}` }
) => fetch(url, { headers: { origin, ...headers } })

const preflight = (url: string, origin: string, wanted = "authorization, content-type") =>
  fetch(url, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "PATCH", "access-control-request-headers": wanted }
  })

const sites = "/api/dcim/sites/"
const good = [
  "https://portal.example",
  "http://portal.example:8080",
  "https://a.portal.example",
  "http://localhost:3000"
]
const bad = [
  ...[
    "https://portal.example.evil.example",
    "http://portal.example",
    "https://evil.example",
    "null",
    "",
    "https://PORTAL.example"
  ],
  ...["https://a.portal.example.evil", "https://evil/https://a.portal.example", "http://localhost:3000.evil.example"]
]

describe("an origin that an option names", () => {
  it.each(good)("may send requests with a token and read the answers: %s", async (origin) => {
    const before = await preflight(listed.url + sites, origin)
    expect([before.status, corsHeaders(before)]).toEqual([
      204,
      {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
        "access-control-allow-headers": "accept, authorization, content-type, if-match, traceparent",
        "access-control-max-age": "86400"
      }
    ])
    const answer = await requested(listed.url + sites, origin)
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin])
    expect(answer.headers.get("vary")).toContain("Origin")
    const missing = await requested(`${listed.url}${sites}999/`, origin)
    expect([missing.status, missing.headers.get("access-control-allow-origin")]).toEqual([404, origin])
  })

  it("reads nothing without a token, with a session, or outside of the API", async () => {
    const [origin] = good as [string]
    const visitor = openBrowser(listed.url)
    await visitor.logIn()
    for (const reply of [
      await requested(listed.url + sites, origin, {}),
      await requested(`${listed.url}/api/status/`, origin, {}),
      await visitor.fetch(sites, { headers: { origin } }),
      await requested(`${listed.url}/dcim/sites/`, origin),
      await requested(`${listed.url}/metrics`, origin),
      await preflight(listed.url + sites, origin, "content-type"),
      await preflight(`${listed.url}/dcim/sites/`, origin)
    ])
      expect(corsHeaders(reply)).toEqual({})
  })
})

describe("another origin", () => {
  it.each(bad)("reads nothing: %j", async (origin) => {
    expect(corsHeaders(await preflight(listed.url + sites, origin))).toEqual({})
    expect(corsHeaders(await requested(listed.url + sites, origin))).toEqual({})
  })
})

describe("every origin", () => {
  it("reads nothing unless an option says so", async () => {
    for (const origin of [...good, ...bad]) {
      expect(corsHeaders(await preflight(off.service.url + sites, origin))).toEqual({})
      expect(corsHeaders(await requested(off.service.url + sites, origin))).toEqual({})
    }
  })

  it("may be allowed, still with tokens only", async () => {
    for (const origin of [...good, ...bad.filter((each) => each !== "")]) {
      const answer = await requested(all.url + sites, origin)
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
      expect(answer.headers.has("access-control-allow-credentials")).toBe(false)
      expect(corsHeaders(await requested(all.url + sites, origin, {}))).toEqual({})
    }
  })
})

describe("the options", () => {
  it("are refused where they name no origin or no pattern", () => {
    const problem = (corsOrigins: ReadonlyArray<string>, corsPatterns: ReadonlyArray<string> = []) =>
      corsProblem({ corsOrigins, corsPatterns })
    expect(problem(["https://a.example", "http://[::1]:80"])).toMatch(/80 is no origin/)
    expect(problem(["https://a.example", "http://b.example:81"], ["https://.*"])).toBeUndefined()
    for (const wrong of ["a.example", "*", "https://a.example/", "https://a.example/x", "https://A.example"])
      expect(problem([wrong])).toMatch(/^CORS_ORIGIN_WHITELIST: .* is no origin; expected/)
    expect(problem([], ["("])).toMatch(/^CORS_ORIGIN_REGEX_WHITELIST: /)
  })
})

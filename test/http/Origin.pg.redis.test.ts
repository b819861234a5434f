/** The address of the service in answers, checks and cookies: from Host, or from what trusted proxies tell. */
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { routes } from "../../src/Service.ts"
import { openBrowser } from "../auth/Browser.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { type Service, startService } from "../support/Service.ts"
import { fewOf } from "../support/Seed.ts"

/** Behind a proxy at 127.0.0.1; another process trusts none. */
let api: Api
let plain: Service

const secret = { SECRET_KEY: "a key for tests, of sufficient length" }

beforeAll(async () => {
  api = await startApiAlone({ TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8" })
  const { databaseUrl, redisUrl } = api.database
  plain = await startService({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...secret }, { roles: ["api"] })
})

afterAll(async () => {
  await plain.stop()
  await api.stop()
})

/** The answer to a request whose lines are these, to the letter. */
const send = (url: string, lines: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let answer = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk: string) => (answer += chunk))
    socket.on("end", () => resolve(answer))
    socket.on("error", reject)
    socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`)
  })

/** Status and body of `GET /api/` with these header lines. */
const root = async (url: string, ...headers: ReadonlyArray<string>) => {
  const answer = await send(url, ["GET /api/ HTTP/1.1", ...headers])
  return {
    status: Number(answer.split(" ")[1]),
    json: JSON.parse(/\r\n\r\n[^{]*(\{.*\})/s.exec(answer)![1]!) as object
  }
}

/** The address before the path of a URL in the answer. */
const baseOf = (json: object): string => (json as { readonly dcim: string }).dcim.replace("/api/dcim/", "")

describe("a Host header", () => {
  it.each(["[", "a b", "", "x:99999", "[::1", "a/b", "user@a", "a,b", "x".repeat(5000), "1.2.3.4.5", "a:b", "a%00"])(
    "that names no host is refused in words: %j",
    async (host) => {
      for (const { url } of [api.service, plain]) {
        const { status, json } = await root(url, `Host: ${host}`)
        expect([status, json]).toEqual([400, { detail: expect.stringContaining("The Host header must be a name") }])
      }
    }
  )

  it.each(["inventory.example", "Inventory.EXAMPLE:8443", "[::1]:80", "192.0.2.1", "a_b", "localhost."])(
    "that names one is the address in answers: %s",
    async (host) => {
      const { status, json } = await root(plain.url, `Host: ${host}`)
      expect([status, baseOf(json)]).toEqual([200, `http://${host}`])
    }
  )

  it("may be left out by clients of HTTP/1.0", async () => {
    const answer = await send(plain.url, ["GET /api/dcim/ HTTP/1.0"])
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe("the headers of a proxy", () => {
  const forwarded = (...more: ReadonlyArray<string>) => ["Host: internal:8000", ...more]
  const told: ReadonlyArray<readonly [headers: ReadonlyArray<string>, base: string]> = [
    [["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Host: a.example", "X-Forwarded-Proto: https"], "https://a.example"],
    [["X-Forwarded-Host: a.example:8443", "X-Forwarded-Proto: HTTPS"], "https://a.example:8443"],
    [["X-Forwarded-Proto: https"], "https://internal:8000"],
    [["X-Forwarded-Host: a.example"], "http://a.example"],
    [["X-Forwarded-Proto: gopher"], "http://internal:8000"],
    // Values that the client sent are before the value that the proxy added.
    [["X-Forwarded-For: 6.6.6.6, 192.0.2.1", "X-Forwarded-Host: evil.example, a.example"], "http://a.example"],
    [["X-Forwarded-For: 6.6.6.6, 192.0.2.1", "X-Forwarded-Host: a.example"], "http://a.example"],
    // Two proxies, of which each adds its own, or the second keeps what the first said.
    [["X-Forwarded-For: 192.0.2.1, 10.0.0.1", "X-Forwarded-Host: a.example, middle"], "http://a.example"],
    [["X-Forwarded-For: 192.0.2.1, 10.0.0.1", "X-Forwarded-Host: a.example"], "http://a.example"]
  ]

  it.each(told)("give the address in answers if the proxy is trusted: %j", async (headers, base) => {
    const { status, json } = await root(api.service.url, ...forwarded(...headers))
    expect([status, baseOf(json)]).toEqual([200, base])
  })

  it.each(told)("are ignored if the proxy is not trusted: %j", async (headers) => {
    const { json } = await root(plain.url, ...forwarded(...headers))
    expect(baseOf(json)).toBe("http://internal:8000")
  })

  it("must name a valid host, also from a trusted proxy", async () => {
    const { status } = await root(api.service.url, ...forwarded("X-Forwarded-Host: a b"))
    expect(status).toBe(400)
  })

  it("make cookies secure and decide which pages are our own", async () => {
    const through = { "x-forwarded-for": "192.0.2.1", "x-forwarded-host": "a.example", "x-forwarded-proto": "https" }
    const visitor = openBrowser(api.service.url)
    const ask: typeof visitor.fetch = (path, options = {}) =>
      visitor.fetch(path, { ...options, headers: { ...through, ...(options.headers as Record<string, string>) } })
    await ask("/login/")
    const csrfmiddlewaretoken = visitor.cookies.get("__Host-csrftoken")!
    const form = new URLSearchParams({
      csrfmiddlewaretoken,
      username: "admin",
      password: "correct horse battery staple"
    })
    const answer = await ask("/login/", { method: "POST", body: form })
    const session = answer.headers.getSetCookie().find((line) => line.startsWith("__Host-sessionid="))
    expect([answer.status, session]).toEqual([302, expect.stringContaining("; Secure")])
    const write = async (origin: string) => {
      const headers = {
        origin,
        "content-type": "application/json",
        "x-csrftoken": visitor.cookies.get("__Host-csrftoken")!
      }
      const body = JSON.stringify(named(`From ${origin.replaceAll(/\W/g, "")}`))
      return (await ask("/api/dcim/sites/", { method: "POST", headers, body })).status
    }
    for (const origin of ["https://a.example", "https://A.example:443"])
      expect([origin, await write(origin)]).toEqual([origin, 201])
    for (const origin of ["http://a.example", "https://b.example", "https://a.example:1", api.service.url, "null"])
      expect([origin, await write(origin)]).toEqual([origin, 403])
  })
})

describe("every answer", () => {
  it("may not be cached or framed, unless its route allows it", async () => {
    const every = [...new Set(routes.map(({ path }) => path.replaceAll(/:\w+/g, "1")))]
    const paths = [...fewOf(every, 50, "routes"), "/nothing/", "/api/dcim/sites"]
    const token = await api.newToken()
    for (const path of paths) {
      for (const authorization of ["", `Token ${token}`]) {
        const { headers } = await fetch(api.service.url + path, { redirect: "manual", headers: { authorization } })
        const guards = ["cache-control", "vary", "x-frame-options"].map((name) => headers.get(name))
        expect([path, ...guards]).toEqual([
          path,
          expect.stringContaining("no-store"),
          "Accept, Authorization, Cookie",
          "DENY"
        ])
        expect([path, headers.get("content-security-policy")]).toEqual([
          path,
          expect.stringContaining("frame-ancestors 'none'")
        ])
      }
    }
    const code = await api.raw("GET", "/api/schema/swagger-ui/swagger-ui.css")
    expect(code.headers.get("cache-control")).toBe("public, max-age=86400")
  })
})

/** METRICS_ACCESS: who sees how the service runs. */
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { accessProblem } from "../../src/http/system/MetricsAccess.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Service, startService } from "../support/Service.ts"

/** As it comes, and with another METRICS_ACCESS behind a proxy at 127.0.0.1. */
let usual: Api
let strict: Service
let token: string

const local = "127.0.0.0/8,::1"

const start = (environment: Record<string, string>): Promise<Service> => {
  const { databaseUrl, redisUrl } = usual.database
  const own = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SECRET_KEY: "a key for tests, of sufficient length" }
  return startService({ ...own, ...environment }, { roles: ["api"] })
}

beforeAll(async () => {
  usual = await startApi()
  strict = await start({ METRICS_ACCESS: `${local},192.0.2.0/24`, TRUSTED_PROXIES: "127.0.0.1" })
  token = (await makeUser(usual, "may nothing")).token
})

afterAll(async () => {
  await strict.stop()
  await usual.stop()
})

/** The status of /metrics, and whether /api/status/ tells of processes, for one who sends these headers. */
const seen = async (url: string, headers: Record<string, string>) => {
  const metrics = await fetch(`${url}/metrics`, { headers })
  const status = (await (await fetch(`${url}/api/status/`, { headers })).json()) as Record<string, unknown>
  expect(status["netbox-version"]).toMatch(/^\d/)
  return [metrics.status, "processes" in status]
}

const all = [200, true]
const nothing = [403, false]
const from = (address: string) => ({ "x-forwarded-for": address })

describe("METRICS_ACCESS", () => {
  it("by default admits this machine and every user, and nobody through an untrusted proxy", async () => {
    const { url } = usual.service
    expect(await seen(url, {})).toEqual(all)
    for (const header of ["x-forwarded-for", "forwarded", "via", "x-real-ip"]) {
      expect([header, await seen(url, { [header]: "127.0.0.1" })]).toEqual([header, nothing])
    }
    expect(await seen(url, { ...from("192.0.2.1"), authorization: `Token ${token}` })).toEqual(all)
    const garbage = { ...from("192.0.2.1"), authorization: `Token ${"0".repeat(40)}` }
    expect((await fetch(`${url}/metrics`, { headers: garbage })).status).toBe(403)
  })

  it("admits networks by the address from a trusted proxy, and no users unless it names them", async () => {
    const { url } = strict
    // The proxy names no client: it may be anybody.
    expect(await seen(url, {})).toEqual(nothing)
    expect(await seen(url, from("127.0.0.1"))).toEqual(all)
    for (const address of ["192.0.2.7", "::ffff:192.0.2.7", "6.6.6.6, 192.0.2.7"]) {
      expect([address, await seen(url, from(address))]).toEqual([address, all])
    }
    for (const address of ["198.51.100.1", "192.0.2.7, 198.51.100.1", "unknown", "127.0.0.1, 198.51.100.1"]) {
      expect([address, await seen(url, from(address))]).toEqual([address, nothing])
    }
    expect(await seen(url, { ...from("198.51.100.1"), authorization: `Token ${token}` })).toEqual(nothing)
  })

  it("admits users alone where BASE_URL names another host, unless it is set", async () => {
    const [port] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const published = await start({ BASE_URL: "https://rackwire.example", PORT: `${port}` })
    expect(await seen(url, {})).toEqual(nothing)
    expect(await seen(url, { authorization: `Token ${token}` })).toEqual(all)
    await published.stop()
  })

  it("by default admits no client of HTTP/1.0, which nginx speaks without settings", async () => {
    const { hostname, port } = new URL(usual.service.url)
    const status = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write("GET /metrics HTTP/1.0\r\n\r\n"))
      socket.once("data", (head: Buffer) => resolve(head.toString().split(" ")[1]!)).once("error", reject)
      socket.resume()
    })
    expect(status).toBe("403")
  })

  it("may be anybody, and is refused if it cannot be read", async () => {
    const open = await start({ METRICS_ACCESS: "anybody" })
    expect(await seen(open.url, from("198.51.100.1"))).toEqual(all)
    await open.stop()
    expect(accessProblem({ metricsAccess: ["10.0.0.0/8", "token", "anybody", "fd00::1"] })).toBeUndefined()
    expect(accessProblem({ metricsAccess: ["tokens"] })).toMatch(/METRICS_ACCESS: tokens is no network/)
  })
})

describe("the list of plugins", () => {
  it("names no file", async () => {
    const { json } = await usual.call<{ readonly results: ReadonlyArray<unknown> }>("GET", "/api/plugins/")
    expect(json.results.length).toBeGreaterThan(0)
    expect(JSON.stringify(json.results)).not.toMatch(/file:|\/plugins\/|\.ts"/)
  })
})

/** Wrong passwords: how many, from where, and what a service stores for them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Redis } from "ioredis"
import { type Api, environmentOf, startApiAlone } from "../support/Api.ts"
import { type Json, password, request } from "../support/Client.ts"
import { type Service, startService } from "../support/Service.ts"
import { openBrowser } from "./Browser.ts"
import { makeUser, userPassword } from "./Users.ts"
import { prefixOf } from "../support/Redis.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
/** Another service on the same database and Redis, and one whose Redis is away. */
let other: Service
let alone: Service

const limits = { LOGIN_ATTEMPTS_PER_USER: "4", LOGIN_ATTEMPTS_PER_ADDRESS: "12", TRUSTED_PROXIES: "127.0.0.1" }

beforeAll(async () => {
  api = await startApiAlone(limits)
  await makeUser(api, "often")
  const environment = { ...environmentOf(api.database), ...limits }
  other = await startService(environment, { roles: ["api"] })
  alone = await startService({ ...environment, REDIS_URL: "redis://127.0.0.1:1" }, { roles: ["api"] })
})

afterAll(async () => {
  await alone.stop()
  await other.stop()
  await api.stop()
})

const path = "/api/users/tokens/provision/"

/** Guesses of each of eight clients: more than the bounds of names and addresses let through. */
const guesses = 25

/** A client at this address, which our proxy tells. */
const provision = async (url: string, address: string, username: string, secret = "wrong") => {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address },
    body: JSON.stringify({ username, password: secret })
  })
  return { status: response.status, wait: response.headers.get("retry-after"), json: (await response.json()) as Json }
}

describe("wrong passwords", () => {
  it("are limited per user name, in all processes together, whether or not the user exists", async () => {
    for (const name of ["admin", "there is no such user"]) {
      for (let n = 0; n < 4; n++) {
        const answer = await provision(n % 2 === 0 ? api.service.url : other.url, `198.51.100.${n}`, name)
        expect([n, answer.status]).toEqual([n, 403])
      }
      for (const url of [api.service.url, other.url]) {
        const answer = await provision(url, "198.51.100.9", name, name === "admin" ? password : "wrong")
        expect(answer.status).toBe(429)
        expect(Number(answer.wait)).toBeGreaterThan(200)
        expect(answer.json["detail"]).toMatch(/^Request was throttled\. Expected available in \d+ seconds\.$/)
      }
    }
  })

  it("are limited per address, where an IPv6 /64 counts as one", async () => {
    for (const addressOf of [() => "203.0.113.7", (n: number) => `2001:db8:1:2::${n}`]) {
      for (let n = 0; n < 12; n++) {
        expect((await provision(api.service.url, addressOf(n), `guess ${addressOf(0)} ${n}`)).status).toBe(403)
      }
      expect((await provision(other.url, addressOf(99), "yet another")).status).toBe(429)
    }
    expect((await provision(other.url, "2001:db8:1:3::1", "yet another")).status).toBe(403)
  })

  it("cannot get around the limit by coming at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => provision(api.service.url, `192.0.2.${n}`, "raced"))
    )
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(4)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(26)
  })

  it("count for the login page too, which says when to try again", async () => {
    for (let n = 0; n < 4; n++) await provision(api.service.url, `198.51.100.${n}`, "paged")
    const answer = await openBrowser(api.service.url).logIn("paged", "wrong")
    expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([429, true])
  })

  it("are not counted when the password is right", async () => {
    for (let n = 0; n < 10; n++) {
      expect((await provision(api.service.url, "198.51.100.1", "often", userPassword)).status).toBe(201)
    }
  })

  thorough("do not keep many right ones at once out, in one process or several, with or without Redis", async () => {
    for (const urls of [[api.service.url, other.url], [alone.url]]) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          provision(urls[n % urls.length]!, `198.51.100.${n}`, "often", userPassword)
        )
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    }
  })

  it("are limited per process while Redis is away, and right ones succeed", async () => {
    for (let n = 0; n < 4; n++) expect((await provision(alone.url, `198.51.100.${n}`, "left alone")).status).toBe(403)
    expect((await provision(alone.url, "198.51.100.9", "left alone")).status).toBe(429)
    const answer = await provision(alone.url, "198.51.100.9", "often", userPassword)
    expect(answer.status).toBe(201)
    const seen = await request(alone.url, String(answer.json["key"]), "GET", "/api/users/tokens/")
    expect(seen.status).toBe(200)
    const visitor = openBrowser(alone.url)
    await visitor.logIn("often", userPassword)
    expect((await visitor.fetch("/api/users/tokens/")).status).toBe(200)
  })

  thorough("beyond the bound store nothing: neither names nor addresses grow the memory of Redis", async () => {
    const redis = new Redis(api.database.redisUrl, { protocol: 2 })
    const prefix = await prefixOf(api.database.sql)
    const entries = async (kind: string): Promise<number> => {
      const keys = await redis.keys(`${prefix}{login}:${kind}:*`)
      return (await Promise.all(keys.map((key) => redis.zcard(key)))).reduce((sum, count) => sum + count, 0)
    }
    const [names, addresses] = [await entries("name"), await entries("address")]
    const guess = async (worker: number) => {
      const statuses: Array<number> = []
      for (let n = 0; n < guesses; n++) {
        statuses.push((await provision(api.service.url, `2001:db9:${worker}:${n % 8}::1`, `many ${n % 5}`)).status)
      }
      return statuses
    }
    const statuses = (await Promise.all(Array.from({ length: 8 }, (_, worker) => guess(worker)))).flat()
    const computed = statuses.filter((status) => status === 403)
    expect(statuses.filter((status) => status === 429)).toHaveLength(8 * guesses - computed.length)
    // Five names, four guesses each.
    expect(computed).toHaveLength(5 * 4)
    expect([(await entries("name")) - names, (await entries("address")) - addresses]).toEqual([20, 20])
    await redis.quit()
  })
})

describe("a client's address", () => {
  it("comes from a trusted proxy, read from the right, otherwise from the connection", async () => {
    const open = await startService(environmentOf(api.database), { roles: ["api"] })
    const inside = await api.newToken({ allowed_ips: ["192.0.2.0/24", "::ffff:198.51.100.0/120", "2001:db8::/64"] })
    const ask = async (url: string, forwarded: string) => {
      const headers = { authorization: `Token ${inside}`, "x-forwarded-for": forwarded, "x-real-ip": "192.0.2.1" }
      return (await fetch(`${url}/api/dcim/sites/`, { headers })).status
    }
    for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "198.51.100.1", "2001:db8::5", "203.0.113.1, 192.0.2.1"])
      expect([address, await ask(api.service.url, address)]).toEqual([address, 200])
    for (const address of ["203.0.113.1", "192.0.2.1, 203.0.113.1", "2001:db8:1::1", "nonsense", ""])
      expect([address, await ask(api.service.url, address)]).toEqual([address, 403])
    expect(await ask(open.url, "192.0.2.1")).toBe(403)
    await open.stop()
  })
})

/** Authentication while Postgres is away: nobody is let in, and everybody is told to come back. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { Proxy } from "../fault/Proxy.ts"
import { Random } from "../fault/Random.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { password } from "../support/Client.ts"
import { type Service, startService } from "../support/Service.ts"
import { type Browser, openBrowser } from "./Browser.ts"

let api: Api
let proxy: Proxy
let service: Service
let token: string
let visitor: Browser

beforeAll(async () => {
  api = await startApiAlone()
  token = await api.newToken()
  const url = new URL(api.database.databaseUrl)
  proxy = await Proxy.start(Number(url.port), new Random("outage"))
  url.port = `${proxy.port}`
  const environment = {
    DATABASE_URL: url.href,
    REDIS_URL: api.database.redisUrl,
    SECRET_KEY: "a key for tests, of sufficient length"
  }
  service = await startService(environment, { roles: ["api"] })
  visitor = openBrowser(service.url)
  await visitor.logIn()
})

afterAll(async () => {
  await service.stop()
  await proxy.close()
  await api.stop()
})

it("is 503 with Retry-After for a token, a session, a login and provisioning, and over when Postgres is back", async () => {
  const ask = (path: string, options: RequestInit = {}) => fetch(service.url + path, options)
  const credentials = { username: "admin", password }
  const ways: Readonly<Record<string, () => Promise<Response>>> = {
    token: () => ask("/api/dcim/sites/", { headers: { authorization: `Token ${token}` } }),
    session: () => visitor.fetch("/api/dcim/sites/"),
    provisioning: () =>
      ask("/api/users/tokens/provision/", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(credentials)
      }),
    login: () => {
      const fresh = openBrowser(service.url)
      return fresh.submit("/login/", credentials)
    }
  }
  proxy.cut()
  for (const [way, go] of Object.entries(ways)) {
    const answer = await go()
    expect([way, answer.status, answer.headers.get("retry-after")]).toEqual([way, 503, "5"])
  }
  expect((await ask("/health/live", { headers: { authorization: `Token ${token}` } })).status).toBe(200)
  proxy.restore()
  await expect.poll(async () => (await ways["token"]!()).status).toBe(200)
  expect((await ways["session"]!()).status).toBe(200)
  // A login that failed because of an outage does not count as a wrong password.
  expect([(await ways["provisioning"]!()).status, (await ways["login"]!()).status]).toEqual([201, 302])
})

/** Floods of false answers and logout tokens in the name of a provider. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { rowsMax } from "../../../src/auth/audit/RefusalBudget.ts"
import { type Api, startApiAlone } from "../../support/Api.ts"
import { openBrowser } from "../Browser.ts"
import { type HostileProvider, startHostileProvider } from "./HostileProvider.ts"

let provider: HostileProvider
let api: Api

beforeAll(async () => {
  provider = await startHostileProvider()
  api = await startApiAlone({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: "rackwire",
    TRUSTED_PROXIES: "127.0.0.1"
  })
})

afterAll(async () => {
  await api.stop()
  await provider.stop()
})

const from = (address: string, path: string, init: RequestInit = {}) =>
  fetch(api.service.url + path, { ...init, headers: { "x-forwarded-for": address }, redirect: "manual" })

const callback = (address: string) => from(address, "/login/oidc/callback/?code=a&state=b")

const backchannel = (address: string) =>
  from(address, "/login/oidc/backchannel/", {
    method: "POST",
    body: new URLSearchParams({ logout_token: "a.b.c" })
  })

const rowsOf = async (address: string): Promise<number> => {
  const statement = "select count(*)::int as count from users_signin where address = $1"
  return (await api.database.sql.query<{ readonly count: number }>(statement, [address]))[0]!.count
}

it("cost an address nothing but 429 after the limit, and leave others and passwords alone", async () => {
  const flood = "192.0.2.1"
  const statuses = new Set<number>()
  for (let at = 0; at <= rowsMax; at++) statuses.add((await callback(flood)).status)
  expect([...statuses]).toEqual([403])
  const refused = await callback(flood)
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true])
  expect((await backchannel(flood)).status).toBe(429)
  expect((await from(flood, "/login/passkey/", { method: "POST" })).status).toBe(429)
  expect(await rowsOf(flood)).toBe(rowsMax + 1)
  expect([(await callback("192.0.2.2")).status, (await backchannel("192.0.2.2")).status]).toEqual([403, 400])
  expect(await rowsOf("192.0.2.2")).toBe(2)
  expect((await openBrowser(api.service.url, { "x-forwarded-for": flood }).logIn()).status).toBe(302)
})

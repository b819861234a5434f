/** Log lines about logins, refusals, and who granted what. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type List, password } from "../support/Client.ts"
import { openBrowser } from "./Browser.ts"
import { makeUser, permit } from "./Users.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})

afterAll(() => api.stop())

/** The audit lines that have come since the last look, without what stands before `audit:`. */
let seen = 0
const lines = (): ReadonlyArray<string> => {
  const all = api.service
    .output()
    .split("\n")
    .flatMap((line) => /"audit: ((?:[^"\\]|\\.)*)"/.exec(line)?.[1]?.replaceAll('\\"', '"') ?? [])
  const since = all.slice(seen)
  seen = all.length
  return since
}

it("has a line for every login, logout, refusal, token and permission", async () => {
  const visitor = openBrowser(api.service.url)
  await visitor.logIn()
  await visitor.submit("/logout/", {})
  const user = await makeUser(api, "audited")
  const permission = await permit(api, user.id, { types: ["dcim.site"], actions: ["view"] })
  await user.call("GET", "/api/dcim/sites/")
  await user.call("POST", "/api/dcim/sites/", {})
  await expect.poll(() => api.service.output()).toMatch(/token \d+ of \\"audited\\" is used/)
  const told = lines()
  for (const line of [
    '"admin" logged in from "127.0.0.1"',
    '"admin" logged out from "127.0.0.1"',
    `"admin" did "POST /api/users/users/": ${user.id}`,
    `"admin" did "POST /api/users/permissions/": ${permission}`,
    '"audited" from "127.0.0.1" is denied "POST /api/dcim/sites/": NoPermission'
  ])
    expect(told).toContain(line)
})

it("names the accounts that an import or a deletion changed, and nothing for a dry run", async () => {
  lines()
  const path = "/api/users/groups/"
  const importing = async (query: string, count: number, name: string) => {
    const groups = Array.from({ length: count }, (_, n) => ({ name: `${name} ${n}` }))
    expect((await api.raw("POST", `${path}import/${query}`, groups, await api.newToken())).status).toBe(200)
  }
  await importing("?dry_run=true", 3, "tried out")
  await importing("", 3, "imported")
  await importing("", 501, "many")
  const groups = await api.call<List>("GET", `${path}?limit=0`)
  const ids = groups.json.results.map(({ id }) => id).toSorted((a, b) => a - b)
  expect((await api.call("DELETE", path, [{ id: ids[0] }, { id: ids[1] }])).status).toBe(204)
  expect((await api.call("DELETE", `${path}${ids[2]}/`)).status).toBe(204)
  expect(ids).toHaveLength(504)
  const told = lines().filter((line) => line.includes(path))
  expect(told).toEqual([
    `"admin" did "POST ${path}import/": ${ids.slice(0, 3).join(", ")}`,
    `"admin" did "POST ${path}import/": ${ids.slice(3, 503).join(", ")}`,
    `"admin" did "POST ${path}import/": ${ids[503]}`,
    `"admin" did "DELETE ${path}": ${ids.slice(0, 2).join(", ")}`,
    `"admin" did "DELETE ${path}${ids[2]}/": ${ids[2]}`
  ])
})

it("cannot contain a forged line, nor a very long one", async () => {
  lines()
  const forged = 'x"\naudit: "admin" logged in from "10.0.0.1'
  const provision = (username: string) => api.raw("POST", "/api/users/tokens/provision/", { username, password })
  await provision(forged)
  await provision("y".repeat(4000))
  const told = lines()
  expect(told.filter((line) => line.startsWith('"admin" logged in'))).toEqual([])
  expect(told).toHaveLength(2)
  for (const line of told) expect(line.length).toBeLessThan(400)
})

/** Lists of objects in one request, of any length. */
import { expect } from "vitest"
import type { Api } from "../support/Api.ts"
import type { List } from "../support/Client.ts"

export const tokens = "/api/users/tokens/"

export const newUser = async (api: Api, username: string): Promise<number> =>
  await api.make("users/users", { username, password: "Vierzehn Enten 14" })

/** So many tokens of a user, as a body. */
export const many = (user: number, count: number) => Array.from({ length: count }, () => ({ user }))

export const countOf = async (api: Api, user: number): Promise<number> =>
  (await api.call<List>("GET", `${tokens}?user_id=${user}&limit=1`)).json.count

/** Every list that is written has at most `max` objects. */
export const expectLongListsRefused = async (api: Api, max: number): Promise<void> => {
  const list = Array.from({ length: max + 1 }, (_, n) => ({ id: n + 1, name: `n ${n}`, slug: `n-${n}` }))
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    expect([method, (await api.call(method, "/api/dcim/sites/", list)).status]).toEqual([method, 413])
  }
  const prefix = await api.call<{ readonly id: number }>("POST", "/api/ipam/prefixes/", { prefix: "10.0.0.0/8" })
  const group = await api.call<{ readonly id: number }>("POST", "/api/ipam/vlan-groups/", { name: "g", slug: "g" })
  for (const path of [
    `ipam/prefixes/${prefix.json.id}/available-ips/`,
    `ipam/prefixes/${prefix.json.id}/available-prefixes/`,
    `ipam/vlan-groups/${group.json.id}/available-vlans/`
  ])
    expect([path, (await api.call("POST", `/api/${path}`, list)).status]).toEqual([path, 413])
}

/** A user has at most `max` tokens, although six requests for `each` arrive at once, three of which fit. */
export const expectQuotaHolds = async (api: Api, max: number, each: number): Promise<void> => {
  const user = await newUser(api, "crowd")
  const replies = await Promise.all(Array.from({ length: 6 }, () => api.call("POST", tokens, many(user, each))))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 400, 400, 400])
  expect(await countOf(api, user)).toBe(3 * each)
  const refused = replies.find(({ status }) => status === 400)!
  expect(JSON.stringify(refused.json)).toContain(`at most ${max} tokens`)
  const other = await newUser(api, "other")
  const own = await api.call<{ readonly id: number }>("POST", tokens, { user: other })
  expect(own.status).toBe(201)
  await api.call("POST", tokens, many(user, max - 3 * each))
  expect((await api.call("PATCH", `${tokens}${own.json.id}/`, { user })).status).toBe(400)
}

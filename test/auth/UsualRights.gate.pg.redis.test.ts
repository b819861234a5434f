/** Rights of every user, and how an administrator changes them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import { makeUser, userPassword } from "./Users.ts"

let api: Api

beforeAll(async () => {
  api = await startApiAlone({ DEFAULT_PERMISSIONS: '{"users.view_user": {"id": "$user"}}' })
})

afterAll(() => api.stop())

describe("DEFAULT_PERMISSIONS", () => {
  it("lets an administrator decide who may keep tokens", async () => {
    const own = { types: ["users.token"], actions: ["view", "add", "change"], constraints: { user: "$user" } }
    const trusted = await makeUser(api, "trusted", own)
    const restricted = await makeUser(api, "restricted")
    const statuses = async ({ id, call }: typeof trusted) => [
      (await call("GET", "/api/users/tokens/")).status,
      (await call("POST", "/api/users/tokens/", { user: id })).status
    ]
    expect(await statuses(trusted)).toEqual([200, 201])
    expect(await statuses(restricted)).toEqual([403, 403])
  })

  it("applies to every user, with its constraints", async () => {
    const somebody = await makeUser(api, "somebody")
    const seen = await somebody.call("GET", "/api/users/users/")
    expect(seen.json).toMatchObject({ count: 1, results: [{ username: "somebody" }] })
  })

  it("of nothing still lets those provision a token who may add tokens, and refuses others without naming a field", async () => {
    const strict = await startApiAlone({ DEFAULT_PERMISSIONS: "{}" })
    try {
      const provision = (username: string) =>
        strict.raw("POST", "/api/users/tokens/provision/", { username, password: userPassword })
      const trusted = await makeUser(strict, "trusted", { types: ["users.token"], actions: ["add"] })
      await makeUser(strict, "restricted")
      const made = await provision("trusted")
      expect([made.status, made.json]).toMatchObject([201, { user: { id: trusted.id } }])
      const refused = await provision("restricted")
      expect([refused.status, refused.json]).toEqual([
        403,
        { detail: "You do not have permission to perform this action." }
      ])
    } finally {
      await strict.stop()
    }
  })

  it("makes the start fail if it cannot be understood", async () => {
    const wrong = [
      ["users.view_nothing", null],
      ["token", null],
      ["users.view_token", { nothing: 1 }]
    ] as const
    for (const [name, constraints] of wrong) {
      const refused = startApiAlone({ DEFAULT_PERMISSIONS: JSON.stringify({ [name]: constraints }) })
      await expect(refused).rejects.toThrow(`DEFAULT_PERMISSIONS: ${name}`)
    }
  })
})

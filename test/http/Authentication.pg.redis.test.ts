/** Authentication over real HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import { type Json, named, password } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

let api: Api

beforeAll(async () => {
  api = await startApiAlone({ EXEMPT_VIEW_PERMISSIONS: "extras.tag" })
})

afterAll(() => api.stop())

describe("authentication", () => {
  const refused = async (authorization: string) => {
    const response = await fetch(`${api.service.url}/api/dcim/sites/`, { headers: { authorization } })
    return [response.status, ((await response.json()) as { readonly detail: string }).detail]
  }

  it("answers every failure with 403 and NetBox's text, and offers no challenge", async () => {
    expect(await refused("Basic x")).toEqual([403, "Authentication credentials were not provided."])
    expect(await refused("Token")).toEqual([403, "Invalid token header. No credentials provided."])
    expect(await refused("Token a b")).toEqual([403, "Invalid token header. Token string should not contain spaces."])
    expect(await refused("Token \u00e9")).toEqual([
      403,
      "Invalid token header. Token string should not contain invalid characters."
    ])
    expect(await refused(`Token ${"0".repeat(40)}`)).toEqual([403, "Invalid token"])
    expect(await refused("Bearer x")).toEqual([403, "Invalid token"])
    const response = await fetch(`${api.service.url}/api/dcim/sites/`)
    expect(response.headers.get("www-authenticate")).toBeNull()
  })

  it("accepts the keyword in any case and with any white space", async () => {
    const token = await api.newToken()
    for (const authorization of [`token ${token}`, `TOKEN   ${token}`, `Token\t${token} `]) {
      expect((await fetch(`${api.service.url}/api/dcim/sites/`, { headers: { authorization } })).status).toBe(200)
    }
  })

  it("fails for an inactive user, and for a token that was deleted", async () => {
    const user = await api.call<{ id: number }>("POST", "/api/users/users/", {
      username: "left",
      password: "long enough"
    })
    const token = await api.newToken({ user: user.json.id })
    await api.call("PATCH", `/api/users/users/${user.json.id}/`, { is_active: false })
    expect((await api.raw("GET", "/api/dcim/sites/", undefined, token)).json).toEqual({ detail: "User inactive" })
    const mine = await api.call<{ id: number; key: string }>("POST", "/api/users/tokens/", {
      user: await api.adminId()
    })
    await api.call("DELETE", `/api/users/tokens/${mine.json.id}/`)
    expect((await api.raw("GET", "/api/dcim/sites/", undefined, mine.json.key)).json).toEqual({
      detail: "Invalid token"
    })
  })

  it("lets everybody read what is exempt from permission, and nothing else", async () => {
    expect((await api.raw("GET", "/api/extras/tags/")).status).toBe(200)
    expect((await api.raw("POST", "/api/extras/tags/", named("Nobody's"))).status).toBe(403)
    expect((await api.raw("GET", "/api/dcim/sites/")).status).toBe(403)
  })

  it("denies a user without permission, reading too", async () => {
    const user = await api.call<{ id: number }>("POST", "/api/users/users/", {
      username: "guest",
      password: "long enough"
    })
    const token = await api.newToken({ user: user.json.id })
    const denied = { detail: "You do not have permission to perform this action." }
    expect((await api.raw("GET", "/api/dcim/sites/", undefined, token)).json).toEqual(denied)
    expect((await api.raw("POST", "/api/dcim/sites/", named("X"), token)).json).toEqual(denied)
  })

  it("remembers when a token was last used, and stores no key", async () => {
    const token = await api.newToken({ description: "used" })
    await api.raw("GET", "/api/dcim/sites/", undefined, token)
    await eventually("last_used is set", async () => {
      const [row] = await api.database.sql.query<{ last_used: Date | null; key: string }>(
        "select last_used, key from users_token where description = 'used'"
      )
      expect(row!.key).not.toContain(token.slice(0, 34))
      return row!.last_used !== null
    })
  })
})

describe("provisioning", () => {
  const provision = (body: unknown, token = "") => api.raw("POST", "/api/users/tokens/provision/", body, token)

  it("names each missing or wrong field", async () => {
    expect(await provision({})).toMatchObject({
      status: 400,
      json: { username: ["This field is required."], password: ["This field is required."] }
    })
    expect((await provision({ username: "", password: null })).json).toEqual({
      username: ["This field may not be blank."],
      password: ["This field may not be null."]
    })
    expect((await provision([])).json).toEqual({
      non_field_errors: ["Invalid data. Expected a dictionary, but got list."]
    })
  })

  it("does not tell an unknown user from a wrong password", async () => {
    const answers = [
      await provision({ username: "admin", password: "x" }),
      await provision({ username: "nobody", password: "x" })
    ]
    for (const answer of answers)
      expect([answer.status, answer.json]).toEqual([403, { detail: "Invalid username/password" }])
  })

  it("refuses a bad token even here, and answers other methods with 405", async () => {
    const bad = await provision({ username: "admin", password }, "0".repeat(40))
    expect([bad.status, bad.json]).toEqual([403, { detail: "Invalid token" }])
    const get = await api.raw("GET", "/api/users/tokens/provision/")
    expect([get.status, get.headers.get("allow"), get.json]).toEqual([
      405,
      "POST, OPTIONS",
      { detail: 'Method "GET" not allowed.' }
    ])
  })

  it("accepts an expiry and a description, and shows the key once", async () => {
    const expires = "2099-01-02T03:04:05Z"
    const made = await provision({ username: " admin ", password, expires, description: "laptop" })
    expect(made.json).toMatchObject({ expires, description: "laptop", write_enabled: true, last_used: null })
    const shown = await api.call<Json>("GET", `/api/users/tokens/${made.json["id"]}/`)
    expect(shown.json).not.toHaveProperty("key")
    expect(shown.json["display"]).toBe(`${String(made.json["key"]).slice(-6)} (admin)`)
  })
})

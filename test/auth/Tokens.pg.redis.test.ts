/** Tokens as a resource, over real HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import { type Json, type List, password } from "../support/Client.ts"
import { makeUser, userPassword } from "./Users.ts"

let api: Api
let retrieving: Api

beforeAll(async () => {
  api = await startApiAlone()
  retrieving = await startApiAlone({ ALLOW_TOKEN_RETRIEVAL: "true" })
})

afterAll(async () => {
  await retrieving.stop()
  await api.stop()
})

const path = "/api/users/tokens/"
const key = (digit: string) => digit.repeat(40)

describe("a token", () => {
  it("has a generated key if none is given or it is blank, else the given one", async () => {
    const user = await api.adminId()
    const made = await api.call<ReadonlyArray<Json>>("POST", path, [
      { user },
      { user, key: "" },
      { user, key: key("a") }
    ])
    expect(made.status).toBe(201)
    const keys = made.json.map((token) => String(token["key"]))
    for (const each of keys) expect(each).toMatch(/^[0-9a-f]{40}$/)
    expect([new Set(keys).size, keys[2]]).toEqual([3, key("a")])
    for (const each of keys) expect((await api.raw("GET", path, undefined, each)).status).toBe(200)
  })

  it("keeps its key in an update without one or with a blank one; a new key works at once", async () => {
    const made = await api.call("POST", path, { user: await api.adminId(), key: key("b") })
    const own = `${path}${made.json["id"]}/`
    await api.call("PATCH", own, { description: "renamed", key: "" })
    await api.call("PUT", own, { user: await api.adminId() })
    expect((await api.raw("GET", path, undefined, key("b"))).status).toBe(200)
    await api.call("PATCH", own, { key: key("c") })
    expect((await api.raw("GET", path, undefined, key("b"))).json).toEqual({ detail: "Invalid token" })
    expect((await api.raw("GET", path, undefined, key("c"))).status).toBe(200)
  })

  it("is refused with the reason, by field", async () => {
    const user = await api.adminId()
    await api.call("POST", path, { user, key: key("d") })
    const wrong: ReadonlyArray<readonly [Json, Json]> = [
      [{}, { user: ["This field is required."] }],
      [{ user: 999_999 }, { user: ["Related object not found using the provided numeric ID: 999999"] }],
      [{ user, key: "abc" }, { key: ["Ensure this field has at least 40 characters."] }],
      [{ user, key: `${key("a")}b` }, { key: ["Ensure this field has no more than 40 characters."] }],
      [{ user, key: key("z") }, { key: ["Use 40 hexadecimal digits, in lower case."] }],
      [{ user, key: key("d") }, { key: ["token with this key already exists."] }],
      [{ user, allowed_ips: ["192.0.2.1/24"] }, { allowed_ips: ["Invalid IP address format: 192.0.2.1/24"] }],
      [
        { user, allowed_ips: ["here", "2001:db8::/129"] },
        { allowed_ips: ["Invalid IP address format: here", "Invalid IP address format: 2001:db8::/129"] }
      ],
      [
        { user, allowed_ips: Array.from({ length: 101 }, (_, n) => `192.0.2.${n}`) },
        { allowed_ips: ["Ensure this field has no more than 100 elements."] }
      ],
      [{ user, allowed_ips: "192.0.2.1" }, { allowed_ips: ['Expected a list of items but got type "str".'] }],
      [{ user, description: "x".repeat(201) }, { description: ["Ensure this field has no more than 200 characters."] }]
    ]
    for (const [body, errors] of wrong) {
      const reply = await api.call("POST", path, body)
      expect([reply.status, reply.json]).toEqual([400, errors])
    }
    expect((await api.call("POST", path, { user, expires: "tomorrow" })).json).toHaveProperty("expires")
  })

  it("shows its networks as they are compared: an address as a network of one, IPv4 in IPv6 as IPv4", async () => {
    const allowed_ips = ["192.0.2.7", "10.0.0.0/8", "2001:DB8::/32", "::ffff:198.51.100.0/120", "10.0.0.0/8"]
    const made = await api.call("POST", path, { user: await api.adminId(), allowed_ips })
    expect(made.json["allowed_ips"]).toEqual(["192.0.2.7/32", "10.0.0.0/8", "2001:db8::/32", "198.51.100.0/24"])
  })

  it("can be found by its fields and its user, and changed and deleted, one or many", async () => {
    const user = await makeUser(api, "collector")
    const user2 = { user: user.id, write_enabled: false, expires: "2031-01-01T00:00:00Z" }
    await user.call("POST", path, [
      { ...user2, description: "first" },
      { ...user2, description: "second" }
    ])
    const found = async (query: string) => (await api.call<List>("GET", `${path}?${query}`)).json.count
    expect(await found("user=collector")).toBe(3)
    expect(await found(`user_id=${user.id}&write_enabled=false`)).toBe(2)
    expect(await found("user=collector&description__ic=fir")).toBe(1)
    expect(await found("user=collector&q=second")).toBe(1)
    expect(await found("user=collector&expires__gte=2030-01-01T00:00:00Z")).toBe(2)
    const listed = (await user.call("GET", `${path}?write_enabled=false`)).json["results"] as ReadonlyArray<Json>
    const changes = listed.map(({ id }) => ({ id, description: "both" }))
    expect((await user.call("PATCH", path, changes)).json).toHaveLength(2)
    expect((await user.call("DELETE", path, changes)).status).toBe(204)
    expect(await found("user=collector")).toBe(1)
  })

  it("records its use once a minute, however many requests come at once", async () => {
    const made = await api.call<{ id: number; key: string }>("POST", path, { user: await api.adminId() })
    const { id } = made.json
    await api.database.sql.query(`create table noted (at timestamptz default clock_timestamp())`)
    await api.database.sql.query(
      `create function note() returns trigger language plpgsql as 'begin insert into noted default values; return new; end'`
    )
    await api.database.sql.query(
      `create trigger note after update of last_used on users_token for each row when (new.id = ${id}) execute function note()`
    )
    const use = () => api.raw("GET", path, undefined, made.json.key)
    await Promise.all(Array.from({ length: 30 }, use))
    const noted = async () => (await api.database.sql.query("select 1 as one from noted")).length
    await expect.poll(noted).toBe(1)
    await use()
    await api.database.sql.query("update users_token set last_used = now() - interval '61 seconds' where id = $1", [id])
    await Promise.all(Array.from({ length: 30 }, use))
    // The update above is noted as well.
    await expect.poll(noted).toBe(3)
  })

  it("shows its key again only if keys are stored, and those are sealed in the database", async () => {
    for (const [one, kept] of [
      [api, false],
      [retrieving, true]
    ] as const) {
      const made = await one.call<{ id: number; key: string }>("POST", path, { user: await one.adminId() })
      const shown = await one.call("GET", `${path}${made.json.id}/`)
      const listed = await one.call<List>("GET", `${path}?id=${made.json.id}`)
      expect(shown.json["key"]).toBe(kept ? made.json.key : undefined)
      expect(listed.json.results[0]).toEqual(shown.json)
      expect(shown.json).not.toHaveProperty("key_copy")
      const [row] = await one.database.sql.query<{ text: string }>(
        "select t::text as text from users_token t where id = $1",
        [made.json.id]
      )
      expect(row!.text).not.toContain(made.json.key.slice(0, 30))
    }
  })
})

describe("provisioning", () => {
  const provision = (body: Json) => api.raw("POST", "/api/users/tokens/provision/", body)

  it("accepts other fields of a token, but no key and no other user", async () => {
    const user = await makeUser(api, "provisioner")
    const made = await provision({
      username: "provisioner",
      password: userPassword,
      write_enabled: false,
      expires: "2031-01-01T00:00:00Z",
      allowed_ips: ["127.0.0.1"],
      description: "phone",
      key: key("e"),
      user: await api.adminId()
    })
    expect(made.json).toMatchObject({
      write_enabled: false,
      expires: "2031-01-01T00:00:00Z",
      allowed_ips: ["127.0.0.1/32"],
      description: "phone",
      user: { id: user.id, username: "provisioner" }
    })
    expect(made.json["key"]).not.toBe(key("e"))
    const wrong = await provision({ username: "provisioner", password: userPassword, allowed_ips: ["x"], expires: 5 })
    expect([wrong.status, Object.keys(wrong.json)]).toEqual([400, ["expires", "allowed_ips"]])
  })

  it("takes a body of four kibibytes at most, since anybody may send one", async () => {
    const body = (bytes: number) => {
      const rest = JSON.stringify({ username: "nobody", password: "" }).length
      return { username: "nobody", password: "x".repeat(bytes - rest) }
    }
    expect((await provision(body(4096))).status).toBe(403)
    expect(await provision(body(4097))).toMatchObject({
      status: 413,
      json: { detail: expect.stringContaining("4 KiB") as string }
    })
  })

  it("takes a password literally", async () => {
    expect((await provision({ username: "admin", password: ` ${password}` })).status).toBe(403)
    await api.call("POST", "/api/users/users/", { username: "spaced", password: " blanks around " })
    expect((await provision({ username: "spaced", password: "blanks around" })).status).toBe(403)
    expect((await provision({ username: "spaced", password: " blanks around " })).status).toBe(201)
  })

  it("hashes a password again at the first login after the cost has changed", async () => {
    const { id } = await makeUser(api, "veteran")
    // Parameters of a hash by an earlier version: 8 MiB, one pass.
    const { argon2Sync } = await import("node:crypto")
    const nonce = Buffer.from("sixteen bytes!!!")
    const hash = argon2Sync("argon2id", {
      message: userPassword,
      nonce,
      tagLength: 32,
      memory: 8192,
      passes: 1,
      parallelism: 1
    })
    const text = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "")
    const stored = `$argon2id$v=19$m=8192,t=1,p=1$${text(nonce)}$${text(hash)}`
    await api.database.sql.query("update users_user set password = $1 where id = $2", [stored, id])
    const now = async () =>
      (await api.database.sql.query<{ password: string }>("select password from users_user where id = $1", [id]))[0]!
        .password
    expect((await provision({ username: "veteran", password: "wrong" })).status).toBe(403)
    expect(await now()).toBe(stored)
    expect((await provision({ username: "veteran", password: userPassword })).status).toBe(201)
    expect(await now()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect((await provision({ username: "veteran", password: userPassword })).status).toBe(201)
  })
})

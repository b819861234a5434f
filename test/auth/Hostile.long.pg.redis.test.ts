/**
 * Input that no client of good will sends: clean answers, and no harm to the others.
 * A process, because its memory is measured.
 */
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { password } from "../support/Client.ts"
import { openBrowser } from "./Browser.ts"
import { makeUser, residentBytes } from "./Users.ts"

let api: Api<ServiceProcess>

beforeAll(async () => {
  api = await startApiProcess()
})

afterAll(() => api.stop())

const provisioning = "/api/users/tokens/provision/"

/** Sends bytes as they are; answers the status, or 0 when the connection was closed without an answer. */
const raw = (head: string | Buffer, body: Buffer = Buffer.alloc(0)): Promise<number> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(api.service.url)
    const socket = connect(Number(port), hostname)
    let answer = ""
    const end = () => {
      socket.destroy()
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0))
    }
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1")
      if (answer.includes("\r\n\r\n")) end()
    })
    socket.on("error", end).on("close", end)
    socket.write(head)
    socket.write(body)
  })

const get = (authorization: Buffer | string) =>
  raw(
    Buffer.concat([
      Buffer.from("GET /api/dcim/sites/ HTTP/1.1\r\nHost: x\r\nAuthorization: "),
      Buffer.from(authorization),
      Buffer.from("\r\n\r\n")
    ])
  )

const post = (path: string, body: Buffer | string, type = "application/json") => {
  const bytes = Buffer.from(body)
  return raw(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    bytes
  )
}

describe("a header", () => {
  it("with control characters is refused before any token is looked up", async () => {
    for (const bad of ["\0", "\x01", "\x7f", "\b"]) expect([400, 403]).toContain(await get(`Token aaaa${bad}aaaa`))
  })

  it("of a megabyte ends the connection at no cost", async () => {
    const before = residentBytes(api.service.process.pid!)
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(`Token ${"a".repeat(1024 * 1024)}`)))
    for (const answer of answers) expect([0, 431]).toContain(answer)
    expect(residentBytes(api.service.process.pid!) - before).toBeLessThan(100 * 1024 * 1024)
  })

  it("with a token of any length, or with bytes that are not text, is refused", async () => {
    for (const length of [1, 6, 39, 41, 64, 1000, 8000]) expect(await get(`Token ${"a".repeat(length)}`)).toBe(403)
    for (const bytes of [
      [0xff, 0xfe],
      [0xc3, 0x28],
      [0xe2, 0x82],
      [0xf0, 0x9f, 0x98, 0x80]
    ])
      expect(await get(Buffer.concat([Buffer.from("Token "), Buffer.from(bytes)]))).toBe(403)
    for (const text of [
      "token\t",
      "Token\u00a0abc",
      "TokenToken abc",
      "'",
      "Token ' or 1=1 --",
      "Token $1",
      "Token %00"
    ])
      expect([text, await get(Buffer.from(text, "latin1"))]).toEqual([text, 403])
  })

  it("of invalid cookies is neither a session nor an error", async () => {
    for (const cookie of [
      "sessionid",
      "sessionid=",
      "=;=;",
      `sessionid=${"x".repeat(4000)}`,
      "sessionid=%00",
      'sessionid=%E0%A4%A; csrftoken="',
      "sessionid='; sessionid=2"
    ])
      expect([cookie, await raw(`GET /api/dcim/sites/ HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`)]).toEqual([
        cookie,
        403
      ])
  })
})

describe("a path", () => {
  it("that looks like another host is unknown and redirects nowhere", async () => {
    for (const [line, status] of [
      ["GET //", 404],
      ["GET ///", 404],
      ["GET //evil.example/api", 404],
      ["GET //evil.example/login", 404],
      ["GET /\\evil.example/api", 404],
      ["GET /api", 301],
      ["OPTIONS *", 404]
    ] as const)
      expect([line, await raw(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`)]).toEqual([line, status])
  })
})

describe("credentials", () => {
  it("of the wrong shape are refused with 400, by field", async () => {
    for (const body of [
      "",
      "{",
      "null",
      "5",
      '"x"',
      "[]",
      "[[]]",
      "{}",
      '{"username": {}, "password": []}',
      '{"username": 5, "password": true}',
      `${"[".repeat(4000)}`
    ])
      expect([body.slice(0, 40), await post(provisioning, body)]).toEqual([body.slice(0, 40), 400])
    expect(await post(provisioning, Buffer.from([0x22, 0xff, 0xfe, 0x22]))).toBe(400)
    expect(await post(provisioning, "username=a", "application/x-www-form-urlencoded")).toBe(415)
  })

  it("that Postgres cannot store are wrong ones", async () => {
    for (const username of ["admin\0", "\ud800", "x".repeat(3000), "admin'--", "ADMIN"])
      expect([username.slice(0, 10), (await api.raw("POST", provisioning, { username, password })).status]).toEqual([
        username.slice(0, 10),
        403
      ])
  })

  it("with a long password are refused before anything is hashed", async () => {
    const long = "x".repeat(4000)
    expect((await api.raw("POST", provisioning, { username: "admin", password: long })).status).toBe(403)
    expect((await api.raw("POST", provisioning, { username: "admin", password: `${long}${long}` })).status).toBe(413)
    const megabyte = "x".repeat(1024 * 1024 - 100)
    const made = await api.call("POST", "/api/users/users/", { username: "long", password: megabyte })
    expect([made.status, made.json]).toEqual([
      400,
      { password: ["Ensure this field has no more than 256 characters."] }
    ])
  })

  it("in a too large form are refused", async () => {
    const visitor = openBrowser(api.service.url)
    expect((await visitor.logIn("admin", "x".repeat(300_000))).status).toBe(413)
  })
})

describe("a permission", () => {
  it("that plain SQL wrote and that means nothing allows nothing", async () => {
    const user = await makeUser(api, "by sql")
    for (const constraints of ['{"nothing": 1}', '"x"', "5", "[5]", '{"name": {"a": 1}}', '{"name__in": "x"}']) {
      await api.database.sql.query(
        "insert into users_objectpermission (name, object_types, actions, users, constraints) values ('x', '{dcim.site}', '{view,delete}', array[$1::bigint], $2::text::jsonb)",
        [user.id, constraints]
      )
    }
    await api.call("POST", "/api/dcim/sites/", { name: "Closed", slug: "closed" })
    expect((await user.call("GET", "/api/dcim/sites/")).json["count"]).toBe(0)
    const all = (await api.call<{ results: ReadonlyArray<{ id: number }> }>("GET", "/api/dcim/sites/")).json.results
    await user.call("DELETE", "/api/dcim/sites/", all)
    expect((await api.call("GET", "/api/dcim/sites/")).json["count"]).toBe(all.length)
  })
})

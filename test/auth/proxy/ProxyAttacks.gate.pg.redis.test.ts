/** Attacks with a proxy's header, over real HTTP. */
import { connect } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Api } from "../../support/Api.ts"
import type { Service } from "../../support/Service.ts"
import { detailOf, get, groupsOf, html, sites, startBeside, startProxied, synced, usersNamed } from "./Proxied.ts"

/** `stranger` trusts another proxy. */
let api: Api
let stranger: Service

beforeAll(async () => {
  api = await startProxied()
  stranger = await startBeside(api, { ...synced, TRUSTED_PROXIES: "10.0.0.0/8" })
})

afterAll(async () => {
  await stranger.stop()
  await api.stop()
})

const rows = (sql: string) => api.database.sql.query(sql)

/** The status of a request with these lines, to the letter. */
const statusOf = (lines: ReadonlyArray<string | Buffer>): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.service.url)
    const socket = connect(Number(port), hostname)
    let answer = ""
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")))
    socket.on("close", () => resolve(Number(answer.split(" ")[1] ?? 0)))
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? resolve(0) : reject(error)))
    const head = [`GET ${sites} HTTP/1.1`, "Host: a", "Connection: close", ...lines, "", ""]
    socket.write(Buffer.concat(head.flatMap((line, at) => [Buffer.from(at === 0 ? "" : "\r\n"), Buffer.from(line)])))
  })

describe("an attack with the header", () => {
  beforeEach(() => rows("delete from users_user where username = 'mallory'"))

  const mallory = "X-Remote-User: mallory"
  const admins = "X-Remote-Groups: admins"

  it.each([
    ["the header twice", [mallory, "X-Remote-User: admin"], 403],
    ["both spellings", [mallory, "X_Remote_User: admin"], 403],
    ["the groups in both spellings", [mallory, admins, "X_REMOTE_GROUPS: root"], 403],
    ["an empty name", ["X-Remote-User:"], 403],
    ["151 characters", [`X-Remote-User: ${"m".repeat(151)}`], 403],
    ["a NUL", ["X-Remote-User: mallory\0"], 400],
    ["an invisible character", ["X-Remote-User: mal\u200blory"], 403],
    ["another encoding", [Buffer.from("X-Remote-User: mallor\u00ff", "latin1")], 403],
    ["a header with a folded line", ["X-Remote-User: mallory", " admin"], 400],
    ["groups without a user", [admins], 403],
    ["a group header of a megabyte", [mallory, `X-Remote-Groups: ${"a".repeat(1_000_000)}`], 431],
    ["100,000 groups", [mallory, `X-Remote-Groups: ${Array.from({ length: 100_000 }, (_, at) => at).join("|")}`], 431]
  ])("%s is refused, and nobody is created", async (_, lines, status) => {
    const before = await rows("select count(*)::int as users from users_user")
    // Node may close the connection before the client has sent all of a large head.
    expect([status, ...(status === 431 ? [0] : [])]).toContain(await statusOf(lines))
    expect(await rows("select count(*)::int as users from users_user")).toEqual(before)
  })

  it("too many groups for one user are refused in words, and nobody is created", async () => {
    const groups = Array.from({ length: 1001 }, (_, at) => at.toString(36)).join("|")
    expect(await detailOf(api.service, { "x-remote-user": "many", "x-remote-groups": groups })).toMatch(
      /prefix or a mapping/
    )
    expect(await usersNamed(api, "many")).toEqual([])
  })

  it("from an address that is no proxy does nothing, also with the headers of one", async () => {
    const headers = { "x-remote-user": "mallory", "x-remote-groups": "admins", "x-forwarded-for": "10.0.0.1" }
    expect((await get(stranger, headers)).status).toBe(403)
    expect((await get(stranger, { ...headers, ...html }, "/user/")).cookies).toEqual([])
    expect(await usersNamed(api, "mallory")).toEqual([])
  })

  it("through a proxy that does not replace it cannot be noticed: the proxy must replace it", async () => {
    const headers = { "x-remote-user": "admin", "x-forwarded-for": "192.0.2.66", "x-remote-groups": "admins" }
    expect((await get(api.service, headers)).status).toBe(200)
  })

  it("a group that somebody gave by hand makes no superuser", async () => {
    await get(api.service, { "x-remote-user": "nina", "x-remote-groups": "admins" })
    await get(api.service, { "x-remote-user": "nina" })
    await rows(
      "update users_user set groups = array[(select id from users_group where name = 'admins')] where username = 'nina'"
    )
    expect((await get(api.service, { "x-remote-user": "nina" }, "/api/users/permissions/")).status).toBe(403)
    expect(await groupsOf(api, "nina")).toEqual(["admins"])
  })

  it("a page of another site cannot write with the proxy's cookie alone, nor by a form", async () => {
    const body = new URLSearchParams({ name: "Forged", slug: "forged", status: "active" })
    for (const origin of [{}, { origin: "https://evil.example" }]) {
      const headers = { ...html, ...origin, "x-remote-user": "olga", "x-remote-groups": "admins" }
      const answer = await fetch(`${api.service.url}/dcim/sites/add/`, {
        method: "POST",
        body,
        headers,
        redirect: "manual"
      })
      expect(answer.status).toBe(403)
    }
    expect(await rows("select from dcim_site where slug = 'forged'")).toEqual([])
  })
})

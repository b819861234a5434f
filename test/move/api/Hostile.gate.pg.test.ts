/** Servers that are no NetBox, or a broken one: a move is refused in words, and no other server receives the token. */
import { createServer } from "node:http"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { type TestDatabase, makeDatabase } from "../../support/Database.ts"
import { apiAt, moveInto } from "../Source.ts"
import { type Instead, netBoxToken, reply, startNetBox } from "./NetBox.ts"
import { choice, usual } from "./Objects.ts"

const site = { id: 1, ...usual, name: "A", slug: "a", status: choice("active"), asns: [] }
const objects = {
  "dcim/sites": [site],
  "dcim/regions": [],
  "ipam/rirs": [{ id: 1, ...usual, name: "R", slug: "r", is_private: false }]
}

let target: TestDatabase
beforeAll(async () => {
  target = await makeDatabase()
})
afterAll(() => target.drop())

const start = async (instead?: Instead, version = "4.2.9") => {
  const server = await startNetBox({ version, objects, ...(instead !== undefined && { instead }) })
  onTestFinished(server.stop)
  return server
}

const limits = { answerMillis: 1000, answerBytesMax: 100_000 }

const moved = async (instead: Instead, more = {}) => {
  const server = await start(instead)
  const from = apiAt(server.url, netBoxToken, { limits, ...more })
  return { server, moving: () => moveInto({ from, to: target.databaseUrl, isDryRun: true }) }
}

/** Answers the requests for sites, until it returns false. */
const atSites =
  (answer: Instead): Instead =>
  (path, response, url) =>
    path === "dcim/sites" && answer(path, response, url)

/** The message of a move that is refused; it never has the token. */
const refusalOf = async (instead: Instead): Promise<string> => {
  const { moving } = await moved(instead)
  const error = await moving().then(
    () => expect.unreachable("the move was not refused"),
    (reason: Error) => reason
  )
  expect(JSON.stringify(error)).not.toContain(netBoxToken)
  return error.message
}

test("an answer that never ends is cut by its bytes or its time", async () => {
  const endless = atSites((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(10_000)));
      if (!response.destroyed) response.once("drain", more)
    }
    more()
    return true
  })
  expect(await refusalOf(endless)).toBe(
    "GET /api/dcim/sites/ answers with more than 100000 bytes. It is that of the first object with an id above 0."
  )
  const silent = atSites((_, response) => response.write("{") || true)
  expect(await refusalOf(silent)).toBe("GET /api/dcim/sites/ cannot be read: no complete answer in time.")
})

test("a page that is too large is read in smaller ones", async () => {
  const { moving } = await moved(
    atSites((_, response, url) =>
      Number(url.searchParams.get("limit")) > 4 ? reply(response, `"${"x".repeat(200_000)}"`) : false
    )
  )
  expect((await moving()).report.types.find(({ type }) => type === "dcim.site")).toMatchObject({ created: 1 })
})

test("a redirect to another origin is not followed, one within it is", async () => {
  const received: Array<string | undefined> = []
  const other = createServer((request, response) => {
    received.push(request.headers.authorization)
    response.end("{}")
  })
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => new Promise<void>((resolve) => other.close(() => resolve())))
  const { port } = other.address() as { readonly port: number }
  const away = atSites((_, response) =>
    reply(response, "", 302, { location: `http://127.0.0.1:${port}/api/dcim/sites/` })
  )
  expect(await refusalOf(away)).toContain(
    `redirects to http://127.0.0.1:${port}, another origin, where the token is not sent`
  )
  expect(received).toEqual([])
  const { moving } = await moved(
    atSites((_, response, url) =>
      url.searchParams.has("again")
        ? false
        : reply(response, "", 301, { location: `${url.pathname}${url.search}&again=1` })
    )
  )
  expect((await moving()).report.types.find(({ type }) => type === "dcim.site")).toMatchObject({ created: 1 })
  const circle = atSites((_, response, url) => reply(response, "", 302, { location: url.href }))
  expect(await refusalOf(circle)).toBe("GET /api/dcim/sites/ redirects more than 5 times.")
})

test("JSON that is 600 levels deep, no JSON, and objects without ids are named", async () => {
  const deep = `{"count":1,"next":null,"results":[{"id":1,"a":${"[".repeat(600)}${"]".repeat(600)}}]}`
  const said = async (text: string) => refusalOf(atSites((_, response) => reply(response, text)))
  expect(await said(deep)).toContain(
    "is nested more than 600 levels deep. It is that of the first object with an id above 0."
  )
  expect(await said("<html>")).toBe("GET /api/dcim/sites/ answers with no JSON.")
  expect(await said('{"results":[{"id":"1"}]}')).toBe("GET /api/dcim/sites/ answers with no page of objects.")
  expect(await said('{"results":[{"id":1,"region":"north"}]}')).toBe(
    "dcim/sites 1 is not as NetBox shows it: region is no reference."
  )
  expect(await said('{"results":[{"id":1,"name":"\\u0000"}]}')).toContain("values that Postgres does not store")
  expect(await said('{"next":"x","results":[{"id":2},{"id":1}]}')).toContain(
    "ignores ordering=id or id__gt=0: it has 1 after 2"
  )
})

test("a busy server is called again, after its Retry-After", async () => {
  let calls = 0
  const { moving, server } = await moved(
    atSites((_, response) => {
      calls += 1
      if (calls === 1) return reply(response, {}, 429, { "retry-after": "0" })
      return calls === 2 ? reply(response, {}, 503) : false
    })
  )
  await moving()
  expect(server.requests.filter(({ path }) => path === "dcim/sites")).toHaveLength(3)
  expect(await refusalOf(atSites((_, response) => reply(response, {}, 502)))).toBe(
    "GET /api/dcim/sites/ answers with 502, 6 times."
  )
  const later = atSites((_, response) => reply(response, {}, 429, { "retry-after": "3600" }))
  expect(await refusalOf(later)).toContain("answers with 429, and a Retry-After of more than ten minutes")
})

test("an endpoint that the token may not read is named, and stops only a strict move", async () => {
  const forbidden = atSites((_, response) => reply(response, { detail: netBoxToken }, 403))
  const { moving } = await moved(forbidden)
  const { report } = await moving()
  expect(report.unreadable).toEqual(["dcim/sites (403)"])
  expect(report.types.map(({ type }) => type)).not.toContain("dcim.site")
  expect(report.types.find(({ type }) => type === "ipam.rir")).toMatchObject({ created: 1 })
  const strict = await moved(forbidden, { needsAll: true })
  await expect(strict.moving()).rejects.toMatchObject({
    message: "The token may not read dcim/sites (403): nothing was written."
  })
  const missing = await moved(atSites((_, response) => reply(response, {}, 404)))
  expect((await missing.moving()).report.unreadable).toEqual(["dcim/sites (404)"])
})

test("an endpoint that cannot be read any more deletes nothing here", async () => {
  const to = await makeDatabase()
  onTestFinished(() => to.drop())
  const first = await start()
  await moveInto({ from: apiAt(first.url, netBoxToken), to: to.databaseUrl })
  const second = await start(atSites((_, response) => reply(response, {}, 403)))
  await moveInto({ from: apiAt(second.url, netBoxToken), to: to.databaseUrl, prefer: "source" })
  expect(await to.superuser.query("select id::int as id from dcim_site")).toEqual([{ id: 1 }])
})

test("other services and releases are refused", async () => {
  const of = async (status: unknown, code = 200) =>
    refusalOf((path, response) => path === "status" && reply(response, status, code))
  expect(await of({ version: "1" })).toContain("answers without netbox-version: this is no NetBox")
  expect(await of({ "netbox-version": "3.0.12" })).toContain("NetBox 3.0 is older than 3.1")
  expect(await of({ "netbox-version": "4.3.1" })).toContain("releases 3.1 to 4.2 can be moved")
  expect(await of({}, 401)).toContain("NetBox refuses the token")
  const closed = await start()
  await closed.stop()
  await expect(moveInto({ from: apiAt(closed.url, netBoxToken), to: target.databaseUrl })).rejects.toMatchObject({
    message: "GET /api/status/ cannot be read: ECONNREFUSED, 6 times."
  })
})

test("a connection that is lost while the API is read ends the move, and writes nothing", async () => {
  const to = await makeDatabase()
  onTestFinished(() => to.drop())
  const kill =
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
  const { server } = await moved(
    atSites((_, response, url) => {
      if (url.searchParams.get("id__gt") === "0") return reply(response, { count: 2, next: "more", results: [site] })
      void to.superuser.query(kill).then(() => reply(response, { count: 1, next: null, results: [{ ...site, id: 2 }] }))
      return true
    })
  )
  await expect(moveInto({ from: apiAt(server.url, netBoxToken), to: to.databaseUrl })).rejects.toMatchObject({
    _tag: "SqlError"
  })
  expect(await to.superuser.query("select from dcim_site")).toEqual([])
})

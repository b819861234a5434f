/** Requests while Postgres restarts and while Redis is away: each is answered, or refused with 503 and Retry-After. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Browser, openBrowser } from "../auth/Browser.ts"
import { password } from "../support/Client.ts"
import { type RunningServers, startServers } from "../support/EmbeddedServers.ts"
import { eventually } from "../support/Eventually.ts"
import { type Service, startService } from "../support/Service.ts"
import { openSql } from "../support/Sql.ts"
import { thorough } from "../support/Seed.ts"

const directory = mkdtempSync(join(tmpdir(), "rackwire-away-"))
let servers: RunningServers
let service: Service
let visitor: Browser
let token: string

beforeAll(async () => {
  servers = await startServers(
    directory,
    process.env["POSTGRES_BIN"] ? { POSTGRES_BIN: process.env["POSTGRES_BIN"] } : {}
  )
  const environment = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    SECRET_KEY: "a key for tests, of sufficient length"
  }
  service = await startService(environment, { roles: ["api"] })
  visitor = openBrowser(service.url)
  await visitor.logIn()
  await service.make("extras/webhooks", {
    name: "w",
    content_types: ["extras.tag"],
    type_create: true,
    payload_url: "http://127.0.0.1:9"
  })
  const { json } = await service.call<{ key: string }>("POST", "/api/users/tokens/", { user: 1 })
  token = json.key
})

afterAll(async () => {
  await service?.stop()
  await servers?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const postmaster = (): number =>
  Number(readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")[0])

let made = 0

const ask = (path: string, method = "GET", body?: unknown) =>
  fetch(service.url + path, {
    method,
    headers: { authorization: `Token ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })

const tag = () => ({ name: `t${++made}`, slug: `t${made}` })

/** One request of each kind that reaches Postgres by another way. */
const kinds: Readonly<Record<string, () => Promise<Response>>> = {
  list: () => ask("/api/dcim/sites/?limit=1"),
  pattern: () => ask("/api/dcim/sites/?name__regex=a"),
  create: () => ask("/api/extras/tags/", "POST", tag()),
  creates: () => ask("/api/extras/tags/", "POST", [tag(), tag()]),
  update: () => ask("/api/users/users/1/", "PATCH", { first_name: `n${++made}` }),
  delete: () => ask("/api/extras/tags/1/", "DELETE"),
  status: () => ask("/api/status/"),
  health: () => ask("/api/extras/webhooks/health/"),
  session: () => visitor.fetch("/api/dcim/sites/"),
  page: () => visitor.fetch("/dcim/sites/"),
  form: () => visitor.submit("/extras/tags/add/", tag()),
  search: () => visitor.fetch("/search/?q=a"),
  export: () => ask("/api/extras/tags/export/?format=csv"),
  import: () => ask("/api/extras/tags/import/", "POST", [tag()]),
  changes: () => ask("/api/extras/object-changes/?limit=1"),
  deliveries: () => ask("/api/extras/deliveries/?limit=1"),
  service: () => ask("/api/core/service/"),
  capture: () => ask("/api/core/capture/"),
  trial: () => ask("/api/extras/webhooks/trial/", "POST", {}),
  tasks: () => visitor.fetch("/system/background-tasks/"),
  home: () => visitor.fetch("/"),
  provision: () => ask("/api/users/tokens/provision/", "POST", { username: "admin", password })
}

/** The answers that are neither a result of the request nor a refusal with Retry-After. */
const wrong: Array<string> = []
const counts = new Map<number, number>()

const note = async (kind: string): Promise<void> => {
  try {
    const answer = await kinds[kind]!()
    const text = await answer.text()
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
    const isFine = answer.status < 500 || (answer.status === 503 && answer.headers.get("retry-after") !== null)
    if (!isFine) wrong.push(`${kind}: ${answer.status} ${text.slice(0, 200)}`)
  } catch (error) {
    wrong.push(`${kind}: ${String(error)}`)
  }
}

thorough("answers 503 with Retry-After while Postgres restarts, and logs no stack", async () => {
  let isOver = false
  const over = () => isOver
  const asking = Object.keys(kinds).map(async (kind) => {
    while (!over()) await note(kind)
  })
  for (let restart = 0; restart < 3; restart++) {
    const before = postmaster()
    process.kill(before, "SIGINT")
    await eventually("Postgres runs again", async () => {
      try {
        return postmaster() !== before && (await ask("/api/dcim/sites/?limit=1")).status === 200
      } catch {
        return false
      }
    })
  }
  isOver = true
  await Promise.all(asking)
  expect(wrong).toEqual([])
  expect(counts.get(503)).toBeGreaterThan(0)
  expect(service.output()).not.toMatch(/^\s+at /m)
})

/** Runs a statement as the superuser, and ends the service's connections, so that new ones follow it. */
const asSuperuser = async (statement: string): Promise<void> => {
  const sql = openSql(servers.superuserUrl)
  await sql.query(statement)
  await sql.query("select pg_terminate_backend(pid)::text from pg_stat_activity where usename = 'rackwire'")
  await sql.close()
}

it.each([
  ["takes no writes", "alter role rackwire set default_transaction_read_only = on"],
  ["has no connection left", "alter role rackwire connection limit 1"],
  ["lets nobody in", "alter role rackwire nologin"]
])("answers 503 with Retry-After while Postgres %s", async (_, statement) => {
  counts.clear()
  await asSuperuser(statement)
  for (let round = 0; round < 3; round++) await Promise.all(Object.keys(kinds).map(note))
  const end = "alter role rackwire login connection limit -1"
  await asSuperuser(end)
  await asSuperuser("alter role rackwire reset all")
  expect(wrong).toEqual([])
  expect(counts.get(503)).toBeGreaterThan(0)
  expect(service.output()).not.toMatch(/^\s+at /m)
  await eventually("it answers again", async () => (await ask("/api/extras/tags/", "POST", tag())).status === 201)
})

thorough("answers 503 with Retry-After for deliveries in Redis while it is away, and everything else", async () => {
  const { servers: own } = JSON.parse(readFileSync(join(directory, "owner.json"), "utf8")) as {
    servers: ReadonlyArray<{ pid: number }>
  }
  const redis = own.map(({ pid }) => pid).find((pid) => pid !== postmaster())!
  process.kill(redis, "SIGSTOP")
  try {
    const waiting = await ask("/api/extras/deliveries/waiting/?webhook_id=1")
    expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([503, "5"])
    const statuses = await Promise.all(Object.values(kinds).map(async (go) => (await go()).status))
    expect(statuses.filter((status) => status >= 500)).toEqual([])
  } finally {
    process.kill(redis, "SIGCONT")
  }
  expect(service.output()).not.toMatch(/^\s+at /m)
})

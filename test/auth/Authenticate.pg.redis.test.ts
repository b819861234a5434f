/** What it costs to find out who sends a request, and how soon the answer changes. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Logger, ManagedRuntime, Redacted, Tracer } from "effect"
import type { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Settings } from "../../src/Config.ts"
import { type Credentials, authenticate } from "../../src/auth/Authenticate.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Service, request, startService } from "../support/Service.ts"
import { openBrowser } from "./Browser.ts"
import { type User, makeUser } from "./Users.ts"

let api: Api
/** Another process of the same service. */
let other: Service
let user: User
/** Statements that were sent to Postgres. */
const statements: Array<string> = []

const counting = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    const attribute = span.attribute.bind(span)
    span.attribute = (key, value) => {
      if (key === "db.query.text") statements.push(String(value))
      attribute(key, value)
    }
    return span
  }
})

let runtime: ManagedRuntime.ManagedRuntime<PgClient.PgClient | SqlClient.SqlClient | Settings, unknown>

beforeAll(async () => {
  api = await startApi()
  const { databaseUrl, redisUrl } = api.database
  other = await startService(
    { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SECRET_KEY: "a key for tests, of some length" },
    ["serve", "--roles", "api"]
  )
  user = await makeUser(api, "counted", { types: ["dcim.site"], actions: ["view"], constraints: { status: "active" } })
  // Used within the last minute, so that nothing is noted any more.
  await user.call("GET", "/api/dcim/sites/")
  const noted = "select 1 as one from users_token where user_id = $1 and last_used is not null"
  while ((await api.database.sql.query(noted, [user.id])).length === 0) await user.call("GET", "/api/dcim/sites/")
  runtime = ManagedRuntime.make(
    Layer.mergeAll(Settings.layer, PgClient.layer({ url: Redacted.make(databaseUrl) }), Logger.layer([]))
  )
})

afterAll(async () => {
  await runtime.dispose()
  await other.stop()
  await api.stop()
})

const sent = async (credentials: Partial<Credentials>) => {
  statements.length = 0
  const nothing = { authorization: undefined, session: undefined, address: undefined }
  await runtime.runPromise(
    Effect.ignore(authenticate({ ...nothing, ...credentials })).pipe(Effect.withTracer(counting))
  )
  return [...statements]
}

describe("a check of credentials", () => {
  it("is one statement for a token or a session, and none without", async () => {
    const visitor = openBrowser(api.service.url)
    await visitor.logIn()
    expect(await sent({ authorization: `Token ${user.token}` })).toHaveLength(1)
    expect(await sent({ authorization: `Token ${"0".repeat(40)}` })).toHaveLength(1)
    expect(await sent({ session: visitor.cookies.get("sessionid") })).toHaveLength(1)
    expect(await sent({})).toEqual([])
    expect(await sent({ authorization: "Bearer x" })).toEqual([])
    expect(await sent({ authorization: "Token a b" })).toEqual([])
  })

  it("is answered from indexes", async () => {
    const visitor = openBrowser(api.service.url)
    await visitor.logIn()
    const [token] = await sent({ authorization: `Token ${user.token}` })
    const [session] = await sent({ session: visitor.cookies.get("sessionid") })
    for (const statement of [token!, session!]) {
      const plan = await runtime.runPromise(
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          // A handful of rows is read faster without an index; whether there is one is the question.
          yield* sql.unsafe("set local enable_seqscan = off")
          return yield* sql.unsafe(`explain (format json) ${statement}`, ["x"])
        }).pipe((effect) => Effect.flatMap(PgClient.PgClient, (sql) => sql.withTransaction(effect)))
      )
      const text = JSON.stringify(plan)
      expect(text).not.toContain("Seq Scan")
      expect(text).toContain("Index Scan")
    }
  })

  it("knows in every process at the next request what was revoked, has expired, or was granted", async () => {
    const asks = (token: string) =>
      Promise.all(
        [api.service.url, other.url].map(async (url) => (await request(url, token, "GET", "/api/dcim/sites/")).status)
      )
    const token = await api.newToken()
    const { sql } = api.database
    expect(await asks(token)).toEqual([200, 200])
    await sql.query("update users_token set expires = now() where key like $1", [`${token.slice(-6)}%`])
    expect(await asks(token)).toEqual([403, 403])
    await sql.query("update users_token set expires = null where key like $1", [`${token.slice(-6)}%`])
    expect(await asks(token)).toEqual([200, 200])
    await sql.query("delete from users_token where key like $1", [`${token.slice(-6)}%`])
    expect(await asks(token)).toEqual([403, 403])
    expect(await asks(user.token)).toEqual([200, 200])
    await sql.query("update users_objectpermission set enabled = false where users @> array[$1::bigint]", [user.id])
    expect(await asks(user.token)).toEqual([403, 403])
  })
})

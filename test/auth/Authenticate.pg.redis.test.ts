/** The cost of finding out who sends a request, and how soon the answer changes. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Logger, ManagedRuntime, Redacted, Tracer } from "effect"
import type { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Environment } from "../../src/Environment.ts"
import { Settings } from "../../src/Config.ts"
import { type Credentials, authenticate, presumed } from "../../src/auth/Authenticate.ts"
import { KnownTokens } from "../../src/auth/KnownTokens.ts"
import { UsualRights } from "../../src/auth/UsualRights.ts"
import { Clearance } from "../../src/inventory/Clearance.ts"
import { readPageChecked } from "../../src/inventory/read/Premise.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import { everything } from "../../src/inventory/derive/filter/Where.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { request } from "../support/Client.ts"
import { type Service, startService } from "../support/Service.ts"
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

let runtime: ManagedRuntime.ManagedRuntime<
  PgClient.PgClient | SqlClient.SqlClient | Settings | KnownTokens | UsualRights,
  unknown
>

beforeAll(async () => {
  api = await startApiAlone()
  const { databaseUrl, redisUrl } = api.database
  other = await startService(
    { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SECRET_KEY: "a key for tests, of sufficient length" },
    { roles: ["api"] }
  )
  user = await makeUser(api, "counted", { types: ["dcim.site"], actions: ["view"], constraints: { status: "active" } })
  // Used within the last minute, so that nothing is noted any more.
  await user.call("GET", "/api/dcim/sites/")
  const noted = "select 1 as one from users_token where user_id = $1 and last_used is not null"
  while ((await api.database.sql.query(noted, [user.id])).length === 0) await user.call("GET", "/api/dcim/sites/")
  runtime = ManagedRuntime.make(
    Layer.mergeAll(
      UsualRights.layer.pipe(
        Layer.provideMerge(Settings.layer),
        // The runner of the tests sets a BASE_URL of its own.
        Layer.provide(Layer.succeed(Environment, {}))
      ),
      KnownTokens.layer,
      PgClient.layer({ url: Redacted.make(databaseUrl) }),
      Logger.layer([])
    )
  )
})

afterAll(async () => {
  await runtime.dispose()
  await other.stop()
  await api.stop()
})

const sent = async (credentials: Partial<Credentials>) => {
  statements.length = 0
  const nothing = {
    authorization: undefined,
    session: undefined,
    proxyUser: undefined,
    address: undefined,
    isUse: true
  }
  await runtime.runPromise(
    Effect.ignore(authenticate({ ...nothing, ...credentials })).pipe(Effect.withTracer(counting))
  )
  return [...statements]
}

describe("a check of credentials", () => {
  it("takes one statement for a token or a session, and none without credentials", async () => {
    const visitor = openBrowser(api.service.url)
    await visitor.logIn()
    expect(await sent({ authorization: `Token ${user.token}` })).toHaveLength(1)
    expect(await sent({ authorization: `Token ${"0".repeat(40)}` })).toHaveLength(1)
    expect(await sent({ session: visitor.cookies.get("sessionid") })).toHaveLength(1)
    const proxyUser = { name: "admin", groups: ["a", "b"] }
    expect(await sent({ session: visitor.cookies.get("sessionid"), proxyUser })).toHaveLength(1)
    expect(await sent({})).toEqual([])
    expect(await sent({ authorization: "Basic x" })).toEqual([])
    expect(await sent({ authorization: "Token a b" })).toEqual([])
  })

  it("uses indexes", async () => {
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
          return yield* sql.unsafe(`explain (format json) ${statement}`, statement === token ? ["x"] : ["x", null])
        }).pipe((effect) => Effect.flatMap(PgClient.PgClient, (sql) => sql.withTransaction(effect)))
      )
      const text = JSON.stringify(plan)
      expect(text).not.toContain("Seq Scan")
      expect(text).toContain("Index Scan")
    }
  })

  it("takes revocations, expiry and grants into account at the next request, in every process", async () => {
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
    await sql.query("update users_objectpermission set enabled = true where users @> array[$1::bigint]", [user.id])
    expect(await asks(user.token)).toEqual([200, 200])
  })
})

/** Whether what was presumed of the user's token held while a page was read. */
const heldWhileReading = async (): Promise<boolean> => {
  const premise = (await runtime.runPromise(presumed(`Token ${user.token}`, undefined)))!.where
  const page = { where: everything, ordering: [], limit: 1, offset: 0 }
  statements.length = 0
  return runtime.runPromise(
    readPageChecked(objectType("dcim.site"), page, premise).pipe(
      Effect.as(true),
      Effect.catchTag("PremiseFailed", () => Effect.succeed(false)),
      Effect.provideService(Clearance, Clearance.all),
      Effect.withTracer(counting)
    )
  )
}

describe("a read by a known token", () => {
  it("takes one statement, which also checks that the token gives the same", async () => {
    await sent({ authorization: `Token ${user.token}` })
    expect(await heldWhileReading()).toBe(true)
    expect(statements).toHaveLength(1)
  })

  it("is not answered once the token, its user or its permissions have changed", async () => {
    const [token, who, granted] = ["t.user_id = $1", "u.id = $1", "p.users @> array[$1::bigint]"]
    const changes: ReadonlyArray<readonly [change: string, back: string]> = [
      [
        `update users_token t set expires = now() where ${token}`,
        `update users_token t set expires = null where ${token}`
      ],
      [
        `update users_token t set write_enabled = false where ${token}`,
        `update users_token t set write_enabled = true where ${token}`
      ],
      [
        `update users_token t set allowed_ips = '{10.0.0.0/8}' where ${token}`,
        `update users_token t set allowed_ips = '{}' where ${token}`
      ],
      [
        `update users_user u set is_active = false where ${who}`,
        `update users_user u set is_active = true where ${who}`
      ],
      [
        `update users_user u set is_superuser = true where ${who}`,
        `update users_user u set is_superuser = false where ${who}`
      ],
      [
        `update users_objectpermission p set enabled = false where ${granted}`,
        `update users_objectpermission p set enabled = true where ${granted}`
      ],
      [
        `update users_objectpermission p set constraints = null where ${granted}`,
        `update users_objectpermission p set constraints = '{"status": "active"}' where ${granted}`
      ],
      [
        `update users_objectpermission p set actions = '{view,add}' where ${granted}`,
        `update users_objectpermission p set actions = '{view}' where ${granted}`
      ],
      [
        `update users_objectpermission p set object_types = '{dcim.region}' where ${granted}`,
        `update users_objectpermission p set object_types = '{dcim.site}' where ${granted}`
      ],
      [
        `insert into users_objectpermission (name, object_types, actions, users)
           values ('another', '{dcim.region}', '{view}', array[$1::bigint])`,
        `delete from users_objectpermission p where p.name = 'another' and ${granted}`
      ],
      [
        `with made as (insert into users_group (name) values ('joined') returning id)
         update users_user u set groups = array[made.id] from made where ${who}`,
        `with gone as (delete from users_group where name = 'joined') update users_user u set groups = '{}' where ${who}`
      ]
    ]
    for (const [change, back] of changes) {
      await sent({ authorization: `Token ${user.token}` })
      expect([change, await heldWhileReading()]).toEqual([change, true])
      await api.database.sql.query(change, [user.id])
      expect([change, await heldWhileReading()]).toEqual([change, false])
      await api.database.sql.query(back, [user.id])
    }
  })

  it("is not answered once a permission of a group of the user has changed", async () => {
    const { sql } = api.database
    await sql.query(
      `with made as (insert into users_group (name) values ('of the user') returning id),
            granted as (insert into users_objectpermission (name, object_types, actions, groups)
                          select 'of the group', '{dcim.region}', '{view}', array[id] from made)
       update users_user set groups = array[made.id] from made where users_user.id = $1`,
      [user.id]
    )
    await sent({ authorization: `Token ${user.token}` })
    expect(await heldWhileReading()).toBe(true)
    await sql.query("update users_objectpermission set actions = '{view,add}' where name = 'of the group'")
    expect(await heldWhileReading()).toBe(false)
  })

  it("is not answered once the token has expired or its use should be noted again, though no row has changed", async () => {
    const { sql } = api.database
    // Each for its own reason: a token that was used in the future does not have its use noted meanwhile.
    const expiring = "expires = now() + $1::interval, last_used = now() + interval '1 hour'"
    for (const until of [expiring, "last_used = now() - interval '1 minute' + $1::interval"]) {
      // A machine may be too slow to read the token once more within a short time.
      for (let seconds = 2, isHeld = false; !isHeld; seconds *= 2) {
        await sql.query(`update users_token set ${until} where user_id = ${user.id}`, [`${seconds} seconds`])
        await sent({ authorization: `Token ${user.token}` })
        isHeld = await heldWhileReading()
        expect([until, isHeld || seconds < 60]).toEqual([until, true])
      }
      await expect.poll(heldWhileReading).toBe(false)
      await sql.query("update users_token set expires = null, last_used = now() where user_id = $1", [user.id])
    }
  })

  it("is refused like every other request, before any other error is reported", async () => {
    const token = await api.newToken()
    const noted = "select 1 as one from users_token where key like $1 and last_used is not null"
    const asks = (path: string) => request(other.url, token, "GET", path)
    while ((await api.database.sql.query(noted, [`${token.slice(-6)}%`])).length === 0) await asks("/api/dcim/sites/")
    const paths = ["/api/dcim/sites/", "/api/dcim/sites/0/", "/api/dcim/sites/?id=x", "/api/dcim/sites/?name__regex=["]
    for (const path of paths) await asks(path)
    expect(await Promise.all(paths.map(async (path) => (await asks(path)).status))).toEqual([200, 404, 400, 400])
    await api.database.sql.query("delete from users_token where key like $1", [`${token.slice(-6)}%`])
    expect(await Promise.all(paths.map(async (path) => (await asks(path)).json))).toEqual(
      paths.map(() => ({ detail: "Invalid token" }))
    )
  })
})

/** Goal: statements run on a host that takes writes; a connection to another one is replaced before a statement runs on it. */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { freePorts } from "../../src/embedded/Ports.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { inWords } from "../../src/telemetry/Telemetry.ts"
import { type TestDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { onPool } from "../support/OnPool.ts"

let database: TestDatabase

beforeEach(async () => {
  database = await makeEmptyDatabase()
  await database.sql.query("create table note (text text)")
})
afterEach(() => database.drop())

const words = <A>(run: Effect.Effect<A, SqlError.SqlError>) =>
  Effect.matchEffect(run, {
    onFailure: (error) => Effect.succeed(inWords(error)),
    onSuccess: () => Effect.die("it succeeded")
  })

const noteOf = (text: string) => `insert into note values ('${text}')`
const notes = async () =>
  (await database.sql.query<{ readonly text: string }>("select text from note order by text")).map(({ text }) => text)

/** The address with more hosts before its own, on which nothing listens. */
const behindDead = async (url: string, parameters = ""): Promise<string> => {
  const dead = await freePorts(2)
  const { host } = new URL(url)
  return `${url.replace(`@${host}/`, `@${dead.map((port) => `127.0.0.1:${port}`).join(",")},${host}/`)}${parameters}`
}

describe("several hosts", () => {
  it("are tried in turn, for statements, transactions and replication", async () => {
    const url = await behindDead(database.databaseUrl)
    await onPool(url, (sql) =>
      Effect.all([sql.unsafe(noteOf("statement")), sql.withTransaction(sql.unsafe(noteOf("transaction")))], {
        concurrency: 2
      })
    )
    expect(await notes()).toEqual(["statement", "transaction"])
    const walsender = await Walsender.connect(addressOf(url))
    expect(await walsender.query("select current_database()")).toEqual([
      [new URL(database.databaseUrl).pathname.slice(1)]
    ])
    walsender.close()
  })

  it("are passed over if they are silent for connect_timeout", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1")
    await once(silent, "listening")
    const { host } = new URL(database.databaseUrl)
    const first = `127.0.0.1:${(silent.address() as AddressInfo).port}`
    const url = `${database.databaseUrl.replace(`@${host}/`, `@${first},${host}/`)}?connect_timeout=1`
    expect(await onPool(url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
    const walsender = await Walsender.connect(addressOf(url))
    expect(await walsender.query("select 1")).toEqual([["1"]])
    walsender.close()
    silent.close()
  })

  it("fail with the fault of each where replication reaches none", async () => {
    const [one, two] = await freePorts(2)
    const url = `postgres://u@127.0.0.1:${one},127.0.0.1:${two}/d`
    await expect(Walsender.connect(addressOf(url))).rejects.toMatchObject({
      reason: "Transport",
      message: `127.0.0.1:${one}: connect ECONNREFUSED 127.0.0.1:${one}; 127.0.0.1:${two}: connect ECONNREFUSED 127.0.0.1:${two}`
    })
  })

  it("lose a statement that was under way, and run it nowhere else", async () => {
    const url = await behindDead(database.databaseUrl)
    const failure = await onPool(url, (sql) =>
      Effect.gen(function* () {
        yield* sql.unsafe(noteOf("before"))
        const error = yield* words(sql.unsafe("insert into note select pg_terminate_backend(pg_backend_pid())::text"))
        yield* sql.unsafe(noteOf("after"))
        return error
      })
    )
    expect(failure).toBe("Connection closed")
    expect(await notes()).toEqual(["after", "before"])
  })
})

describe("a server that takes no writes", () => {
  const forbidWrites = (on: boolean) =>
    database.superuser.query(
      `alter database ${new URL(database.databaseUrl).pathname.slice(1)} ${on ? "set default_transaction_read_only = on" : "reset default_transaction_read_only"}`
    )

  it("is named, and not worked on until it takes them again", async () => {
    await forbidWrites(true)
    const { host } = new URL(database.databaseUrl)
    const faults = await onPool(database.databaseUrl, (sql) =>
      Effect.gen(function* () {
        const refused = [
          yield* words(sql`select 1 as one`),
          yield* words(sql.withTransaction(sql`select 1 as one`)),
          yield* words(Effect.scoped(sql.reserve))
        ]
        yield* Effect.promise(() => forbidWrites(false))
        yield* sql.unsafe(noteOf("after"))
        return refused
      })
    )
    expect(new Set(faults)).toEqual(new Set([`${host} takes no writes: default_transaction_read_only is on`]))
    expect(await notes()).toEqual(["after"])
  })

  it("may be worked on if the address wants any primary", async () => {
    await forbidWrites(true)
    const url = `${database.databaseUrl}?target_session_attrs=primary`
    expect(await onPool(url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  it("loses a connection whose write it has refused", async () => {
    const [refused, pids] = await onPool(database.databaseUrl, (sql) =>
      Effect.gen(function* () {
        const pid = Effect.map(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`, ([row]) => row!.pid)
        const before = yield* pid
        yield* sql`set default_transaction_read_only = on`
        const first = yield* words(sql.unsafe(noteOf("refused")))
        const second = yield* words(sql.unsafe(noteOf("refused")))
        yield* sql.unsafe(noteOf("taken"))
        return [
          [first, second],
          [before, yield* pid]
        ] as const
      })
    )
    expect(refused[0]).toContain("read-only transaction")
    expect(refused[1]).toContain("takes no writes")
    expect(pids[0]).not.toBe(pids[1])
    expect(await notes()).toEqual(["taken"])
  })
})

it("the sessions have the settings and the name of the address", async () => {
  const url = `${database.databaseUrl}?application_name=inventory&options=-c%20search_path%3Delsewhere`
  const shown = "select current_setting('application_name') as name, current_setting('search_path') as path"
  const ofPool = expect.stringMatching(/^inventory [0-9a-f]{8}$/)
  expect(await onPool(url, (sql) => sql.unsafe(shown))).toEqual([{ name: ofPool, path: "elsewhere" }])
  const walsender = await Walsender.connect(addressOf(url))
  expect(await walsender.query(shown)).toEqual([["inventory capture", "elsewhere"]])
  walsender.close()
})

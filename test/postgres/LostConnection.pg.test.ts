/** A connection that breaks within a transaction, through a proxy that resets it. */
import { type Socket, connect, createServer } from "node:net"
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { expect, it, onTestFinished } from "vitest"
import { Servers } from "../../src/embedded/Servers.ts"
import { Postgres } from "../../src/postgres/Postgres.ts"
import { makeEmptyDatabase } from "../support/Database.ts"

/** A proxy to a Postgres; `cut` resets its connections. */
const startProxy = async (databaseUrl: string) => {
  const address = new URL(databaseUrl)
  const { hostname, port } = address
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) sockets.add(socket.on("error", () => {}))
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  address.port = `${(server.address() as { readonly port: number }).port}`
  const cut = Effect.sync(() => {
    for (const socket of sockets) socket.resetAndDestroy()
    sockets.clear()
  })
  return { url: address.href, cut }
}

it.each(["", "select 1 as one"])(
  "fails its transaction with an error of SQL, and is replaced: %j before the end",
  async (last) => {
    const database = await makeEmptyDatabase()
    onTestFinished(() => database.drop())
    const { url, cut } = await startProxy(database.databaseUrl)
    const servers = Layer.succeed(Servers, {
      databaseUrl: Redacted.make(url),
      redisUrl: Redacted.make(""),
      secretKey: Redacted.make("none")
    })
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const broken = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select 1 as one`
          yield* cut
          if (last !== "") yield* sql.unsafe(last)
        })
      )
      const exit = yield* Effect.exit(broken)
      return { exit, after: yield* sql`select 2 as two` }
    })
    const { exit, after } = await Effect.runPromise(
      Effect.provide(program, Postgres.layer.pipe(Layer.provide(servers)))
    )
    expect(after).toEqual([{ two: 2 }])
    const reasons = Exit.isFailure(exit) ? exit.cause.reasons : []
    expect(reasons.map(({ _tag }) => _tag)).toEqual(["Fail"])
    expect(SqlError.isSqlError(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined)).toBe(true)
  }
)

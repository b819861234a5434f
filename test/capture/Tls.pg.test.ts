/** Encrypted connections of the replication stream and of the pool. The server's certificate is for `localhost`. */
import { chmodSync, chownSync, copyFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Postgres } from "../../src/postgres/Postgres.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import { servers } from "../support/Database.ts"
import { type Certificate, hasOpenssl, makeCertificate } from "../support/Certificate.ts"
import { openSql } from "../support/Sql.ts"

const isEncrypted = "select ssl from pg_stat_ssl where pid = pg_backend_pid()"

const byReplication = async (url: string): Promise<boolean> => {
  const walsender = await Walsender.connect(addressOf(url))
  const [[answer] = []] = await walsender.query(isEncrypted)
  walsender.close()
  return answer === "t"
}

const byPool = (url: string): Promise<boolean> => {
  const servers = { databaseUrl: Redacted.make(url), redisUrl: Redacted.make(""), secretKey: Redacted.make("") }
  return Effect.gen(function* () {
    const [row] = yield* (yield* SqlClient.SqlClient).unsafe<{ readonly ssl: boolean }>(isEncrypted)
    return row!.ssl
  }).pipe(
    Effect.provide(Postgres.layer.pipe(Layer.provide(Layer.succeed(Servers, Servers.of(servers))))),
    Effect.mapError(({ reason }) => reason.cause),
    Effect.runPromise
  )
}

describe.runIf(hasOpenssl)("a server with a certificate", () => {
  const sql = openSql(servers.superuserUrl)
  const at = (host: string, parameters: string) =>
    `${Object.assign(new URL(servers.databaseUrl), { hostname: host }).href}?${parameters}`
  let certificate: Certificate

  beforeAll(async () => {
    certificate = makeCertificate()
    const [{ pid } = { pid: 0 }] = await sql.query<{ readonly pid: number }>("select pg_backend_pid() as pid")
    const folder = `/proc/${pid}/cwd`
    const { uid, gid } = statSync(folder)
    for (const [from, name] of [
      [certificate.keyFile, "server.key"],
      [certificate.certificateFile, "server.crt"]
    ] as const) {
      const to = join(folder, name)
      copyFileSync(from, to)
      chownSync(to, uid, gid)
      chmodSync(to, 0o600)
    }
    await sql.query("alter system set ssl = on")
    await sql.query("select pg_reload_conf()")
  })

  afterAll(async () => {
    await sql.query("alter system reset ssl")
    await sql.query("select pg_reload_conf()")
    await sql.close()
    certificate.remove()
  })

  const ways = [
    ["the replication", byReplication],
    ["the pool", byPool]
  ] as const

  it.each(ways)("is connected to as the address says, by %s", async (_, connect) => {
    const root = `sslrootcert=${certificate.certificateFile}`
    expect(await connect(at("localhost", "sslmode=disable"))).toBe(false)
    expect(await connect(at("127.0.0.1", "sslmode=require"))).toBe(true)
    expect(await connect(at("localhost", `sslmode=verify-full&${root}`))).toBe(true)
    expect(await connect(at("127.0.0.1", `sslmode=verify-ca&${root}`))).toBe(true)
  })

  it.each(ways)("is not trusted without its root certificate or under another name, by %s", async (_, connect) => {
    const root = `sslrootcert=${certificate.certificateFile}`
    await expect(connect(at("localhost", "sslmode=verify-full"))).rejects.toThrow("self-signed")
    await expect(connect(at("localhost", "sslmode=verify-ca"))).rejects.toThrow("self-signed")
    await expect(connect(at("127.0.0.1", `sslmode=verify-full&${root}`))).rejects.toThrow("does not match")
  })
})

describe("a server without TLS", () => {
  it("is refused if the address requires TLS", async () => {
    const url = `${servers.databaseUrl}?sslmode=require`
    await expect(byReplication(url)).rejects.toMatchObject({ reason: "Transport", message: "the server speaks no TLS" })
  })
})

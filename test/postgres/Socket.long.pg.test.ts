/** Goal: a server that listens on a Unix socket is reached by each form of address. */
import { appendFileSync, chownSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { freePorts } from "../../src/embedded/Ports.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { onPool } from "../support/OnPool.ts"
import { makeOwnPostgres } from "../support/OwnPostgres.ts"

it("by the pools and by replication, whatever sslmode says", async () => {
  const cluster = await makeOwnPostgres()
  const folder = mkdtempSync(join(tmpdir(), "rackwire-socket-"))
  onTestFinished(() => {
    cluster.remove()
    rmSync(folder, { recursive: true, force: true })
  })
  const { uid, gid } = statSync(cluster.folder)
  chownSync(folder, uid, gid)
  appendFileSync(join(cluster.folder, "pg_hba.conf"), "local all all scram-sha-256\n")
  const [port] = await freePorts(1)
  const server = await cluster.start(port!, { unix_socket_directories: folder })
  onTestFinished(() => server.stop())
  const where = "select inet_server_addr() is null as local"
  const encoded = encodeURIComponent(folder)
  for (const url of [
    cluster.urlAt(`${encoded}:${port}`),
    `${cluster.urlAt("")}?host=${encoded}&port=${port}`,
    `${cluster.urlAt(`127.0.0.1:1,${encoded}:${port}`)}?target_session_attrs=primary`,
    `${cluster.urlAt(`${encoded}:${port}`)}?sslmode=verify-full`
  ]) {
    expect(await onPool(url, (sql) => sql.unsafe(where))).toEqual([{ local: true }])
    const walsender = await Walsender.connect(addressOf(url))
    expect(await walsender.query(where)).toEqual([["t"]])
    walsender.close()
  }
})

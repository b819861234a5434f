/** A cluster of the embedded Postgres that a test serves by itself, with settings of its own. */
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, readlinkSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { startServers } from "./EmbeddedServers.ts"
import { eventually } from "./Eventually.ts"
import { type Sql, openSql } from "./Sql.ts"
import { makeScratch } from "./Scratch.ts"

export interface OwnPostgres {
  /** The folder of the cluster, which has no server yet. */
  readonly folder: string
  /** The address of the service's role on the hosts of an authority, `127.0.0.1:5432`. */
  readonly urlAt: (authority: string) => string
  readonly superuserUrlAt: (authority: string) => string
  /** Starts a server at the port, for this cluster or a copy of it, and waits until it answers. */
  readonly start: (
    port: number,
    settings: Readonly<Record<string, string>>,
    folder?: string
  ) => Promise<RunningPostgres>
  /** Removes all files. */
  readonly remove: () => void
}

export interface RunningPostgres {
  /** Plain SQL as the superuser, to the server's database `postgres`. */
  readonly superuser: Sql
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

const usual = {
  ...{ listen_addresses: "127.0.0.1", unix_socket_directories: "", timezone: "UTC" },
  // As many connections as its first server had: a standby needs as many as its primary.
  ...{ wal_level: "logical", max_connections: "200" }
}

/** `binaries`: the folder of `postgres`; undefined for that of the npm package. */
export const makeOwnPostgres = async (binaries = process.env["POSTGRES_BIN"]): Promise<OwnPostgres> => {
  const directory = makeScratch("rackwire-postgres-")
  chmodSync(directory, 0o755)
  const first = await startServers(directory, binaries === undefined ? {} : { POSTGRES_BIN: binaries })
  const sql = openSql(first.superuserUrl)
  const [row] = await sql.query<{ readonly pid: number }>("select pg_backend_pid() as pid")
  const binary = readlinkSync(`/proc/${row!.pid}/exe`)
  await sql.close()
  await first.stop()
  const cluster = join(directory, "postgres")
  const { uid, gid } = statSync(cluster)
  const at = (url: string) => (authority: string) => url.replace(`@${new URL(url).host}/`, `@${authority}/`)
  const superuserUrlAt = at(Object.assign(new URL(first.superuserUrl), { pathname: "/postgres" }).href)
  return {
    folder: cluster,
    urlAt: at(first.databaseUrl),
    superuserUrlAt,
    start: async (port, settings, folder = cluster) => {
      const all = Object.entries({ ...usual, ...settings, port }).flatMap(([name, value]) => ["-c", `${name}=${value}`])
      const user = process.getuid?.() === 0 ? { uid, gid } : {}
      const child = spawn(binary, ["-D", folder, ...all], {
        ...user,
        env: { LC_ALL: "C", TZ: "UTC" },
        stdio: ["ignore", "ignore", "pipe"]
      })
      let log = ""
      child.stderr.on("data", (text: Buffer) => (log += text.toString()))
      const superuser = openSql(superuserUrlAt(`127.0.0.1:${port}`))
      const answers = () =>
        superuser.query("select 1 as one").then(
          () => true,
          () => false
        )
      await eventually("Postgres answers", answers, { everyMillis: 100 }).catch((error: Error) => {
        throw new Error(`${error.message}\n${log}`)
      })
      return {
        superuser,
        stop: async (signal = "SIGINT") => {
          await superuser.close()
          await ended(child, signal)
        }
      }
    },
    remove: () => rmSync(directory, { recursive: true, force: true })
  }
}

const ended = (child: ChildProcess, signal: NodeJS.Signals): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill(signal)
  })

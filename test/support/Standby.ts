/** A standby of an embedded Postgres: a copy of its files, served by the same program with the same settings. */
import { spawnSync } from "node:child_process"
import { appendFileSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { start } from "../../src/embedded/Child.ts"
import { freePorts } from "../../src/embedded/Ports.ts"
import { hand, nameFor, unprivilegedUser } from "../../src/embedded/Unprivileged.ts"
import { type RunningServers, startServers } from "./EmbeddedServers.ts"
import { eventually } from "./Eventually.ts"
import { databaseAt, openSql } from "./Sql.ts"

export interface Standby {
  /** The service's database on the standby. */
  readonly databaseUrl: string
  readonly superuserUrl: string
  /** Waits until it has everything that the primary has committed. */
  readonly follow: () => Promise<void>
  /** Makes it the primary. Returns when it takes writes. */
  readonly promote: () => Promise<void>
  readonly stop: () => Promise<void>
}

interface Pair {
  readonly primary: RunningServers
  readonly standby: Standby
}

/** Time for a server to start, to replay its log, and to be promoted, milliseconds. */
const patience = { millis: 60_000 }

/** Starts a primary by these options, and a standby that follows it. Needs /proc. */
export const startPair = async (directory: string, options: Readonly<Record<string, string>>): Promise<Pair> => {
  const [folder, copy] = [join(directory, "primary"), join(directory, "standby")]
  const first = await startServers(folder, options)
  // The npm packages have no pg_basebackup: the files are copied while it is stopped.
  await first.stop()
  const { status, stderr } = spawnSync("cp", ["-a", join(folder, "postgres"), copy], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  const primary = await startServers(folder, options)
  return { primary, standby: await startStandby(primary, join(folder, "postgres"), copy) }
}

const startStandby = async (primary: RunningServers, cluster: string, copy: string): Promise<Standby> => {
  const pid = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")[0]!
  const [, , , ...settings] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)
  const { hostname, port: primaryPort, username, password } = new URL(primary.superuserUrl)
  const [port] = await freePorts(1)
  writeFileSync(join(copy, "standby.signal"), "")
  appendFileSync(
    join(copy, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${hostname} port=${primaryPort} user=${username} password=${password}'\n`
  )
  const user = unprivilegedUser("postgres")
  hand(user, copy)
  const scope = Effect.runSync(Scope.make())
  const program = {
    name: "Postgres",
    command: readlinkSync(`/proc/${pid}/exe`),
    args: ["-D", nameFor(user, copy), ...settings.map((each) => each.replace(/^port=\d+$/, `port=${port}`))],
    folder: copy,
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    user,
    logFile: `${copy}.log`,
    stopSignal: "SIGINT"
  } as const
  await Effect.runPromise(Scope.provide(start(program), scope))
  const at = (url: string) => Object.assign(new URL(url), { port: `${port}` }).href
  const sql = openSql(databaseAt(at(primary.superuserUrl), "postgres"))
  const lsnOf = async (of: typeof sql, call: string) => {
    const [row] = await of.query<{ lsn: string }>(`select (${call} - '0/0'::pg_lsn)::text as lsn`)
    return BigInt(row!.lsn)
  }
  const follow = async () => {
    const source = openSql(primary.superuserUrl)
    const end = await lsnOf(source, "pg_current_wal_lsn()")
    await source.close()
    const has = () => lsnOf(sql, "pg_last_wal_replay_lsn()").then((lsn) => lsn >= end)
    await eventually("the standby has all", () => has().catch(() => false), patience)
  }
  await follow()
  return {
    databaseUrl: at(primary.databaseUrl),
    superuserUrl: at(primary.superuserUrl),
    follow,
    promote: async () => {
      await sql.query("select pg_promote()::text")
      const isPrimary = "select 1 as one where not pg_is_in_recovery()"
      await eventually("it is promoted", async () => (await sql.query(isPrimary)).length > 0, patience)
    },
    stop: async () => {
      await sql.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

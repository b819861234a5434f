/** A primary and its synchronous standby, two real servers on loopback ports. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePorts } from "../../src/embedded/Ports.ts"
import { eventually } from "./Eventually.ts"
import { makeOwnPostgres } from "./OwnPostgres.ts"
import { servers } from "./Database.ts"
import { needs } from "./Ledger.ts"
import { type Sql, openSql } from "./Sql.ts"

export interface PostgresPair {
  readonly primaryPort: number
  readonly standbyPort: number
  /** The address of the service's role on the hosts of an authority, `127.0.0.1:5432`. */
  readonly urlAt: (authority: string) => string
  /** Plain SQL to each, as its superuser. */
  readonly primary: Sql
  readonly standby: Sql
  /** Kills the primary, and makes the standby the primary. */
  readonly failOver: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** The primary waits for its standby, and the slot reaches the standby before its subscriber gets the changes. */
const ofPrimary = { synchronous_standby_names: "*" }
const ofStandby = { primary_slot_name: "standby", hot_standby_feedback: "on" }

/** The same of slots; before this version a standby cannot take them over. */
const slotsOfPrimary = { synchronized_standby_slots: "standby" }
const slotsOfStandby = { sync_replication_slots: "on" }
const slotsVersion = 170_000

const sql = openSql(servers.databaseUrl)
const [server] = await sql.query<{ readonly version: number }>(
  "select current_setting('server_version_num')::int as version"
)
await sql.close()

/** Whether a slot survives the failover of the Postgres that the tests run on. */
export const hasFailoverSlots = needs("Postgres 17 or later", server!.version >= slotsVersion, "unset POSTGRES_BIN")

const patience = { everyMillis: 100 }

export const startPostgresPair = async (binaries?: string): Promise<PostgresPair> => {
  const cluster = await makeOwnPostgres(binaries)
  const copy = `${cluster.folder}-standby`
  execFileSync("cp", ["-a", cluster.folder, copy])
  writeFileSync(join(copy, "standby.signal"), "")
  const [primaryPort, standbyPort] = (await freePorts(2)) as [number, number]
  const primary = await cluster.start(primaryPort, {})
  await primary.superuser.query("select pg_create_physical_replication_slot('standby')::text")
  const { username, password } = new URL(cluster.superuserUrlAt("127.0.0.1"))
  const source = `host=127.0.0.1 port=${primaryPort} user=${username} password=${password} dbname=postgres`
  const [row] = await primary.superuser.query<{ readonly version: number }>(
    "select current_setting('server_version_num')::int as version"
  )
  const takesSlots = row!.version >= slotsVersion
  const settings = { ...ofStandby, ...(takesSlots && slotsOfStandby), primary_conninfo: source }
  const standby = await cluster.start(standbyPort, settings, copy)
  for (const [name, value] of Object.entries({ ...ofPrimary, ...(takesSlots && slotsOfPrimary) })) {
    await primary.superuser.query(`alter system set ${name} = '${value}'`)
  }
  await primary.superuser.query("select pg_reload_conf()")
  const synchronous = "select 1 as one from pg_stat_replication where sync_state = 'sync'"
  await eventually("the standby follows", async () => (await primary.superuser.query(synchronous)).length > 0, patience)
  let isOver = false
  return {
    primaryPort,
    standbyPort,
    urlAt: cluster.urlAt,
    primary: primary.superuser,
    standby: standby.superuser,
    failOver: async () => {
      isOver = true
      await primary.stop("SIGKILL")
      await standby.superuser.query("select pg_promote(true, 60)")
    },
    stop: async () => {
      if (!isOver) await primary.stop("SIGKILL")
      await standby.stop("SIGKILL")
      cluster.remove()
    }
  }
}

/** The data directory that every seed begins with, made once: a cluster that is migrated, with a superuser. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startProcess } from "../support/Process.ts"
import { openSql } from "../support/Sql.ts"
import { startServers } from "../support/EmbeddedServers.ts"

export const token = "0123456789abcdef0123456789abcdef01234567"
export const secretKey = "a key for fault runs, of some length"

/** Time after which Postgres gives up a connection that reads the WAL and says nothing. */
export const walSenderTimeout = "6s"

/** Numbers of rows that objects of the writers may refer to; nobody changes these. */
export const fixed = { regions: 4, tags: 4 }

export class Template {
  private readonly directory: string

  private constructor(directory: string) {
    this.directory = directory
  }

  static async make(): Promise<Template> {
    const directory = mkdtempSync(join(tmpdir(), "rackwire-fault-template-"))
    const { databaseUrl, superuserUrl, redisUrl, stop } = await startServers(directory)
    const service = await startProcess(
      {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        SECRET_KEY: secretKey,
        SUPERUSER_API_TOKEN: token
      },
      { roles: ["api"] }
    )
    await service.stop()
    const server = openSql(superuserUrl)
    await server.query(`alter system set wal_sender_timeout = '${walSenderTimeout}'`)
    await server.close()
    const sql = openSql(databaseUrl)
    // This table has a transaction's work if and only if it was committed.
    await sql.query("create table fault_ledger (label text primary key)")
    for (const [table, prefix, count] of [
      ["dcim_region", "fixed-region", fixed.regions],
      ["extras_tag", "fixed-tag", fixed.tags]
    ] as const) {
      await sql.query(
        `insert into ${table} (id, name, slug) select 1000000 + n, '${prefix}-' || n, '${prefix}-' || n from generate_series(1, ${count}) n`
      )
    }
    await sql.close()
    await stop()
    return new Template(directory)
  }

  /** With owners and modes: Postgres insists on them. */
  copyTo(directory: string): void {
    const { status, stderr } = spawnSync("cp", ["-a", `${this.directory}/.`, directory], { encoding: "utf8" })
    if (status !== 0) throw new Error(`the template cannot be copied: ${stderr}`)
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}

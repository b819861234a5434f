/** Rackwire for a suite: a process of its own with a data directory of its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ProcessStart, type ServiceProcess, startProcess } from "../test/support/Process.ts"
import { type Sql, databaseAt, openSql } from "../test/support/Sql.ts"
import { superuserUrlOf } from "../test/support/EmbeddedServers.ts"
import { cpuOfTree, usageOf } from "./Usage.ts"

export interface Rackwire {
  readonly service: ServiceProcess
  readonly sql: Sql
  readonly databaseUrl: string
  readonly superuserUrl: string
  readonly redisUrl: string
  readonly secretKey: string
  readonly pid: () => number
  /** CPU seconds so far of the process and its servers. */
  readonly cpu: () => { readonly rackwire: number; readonly Postgres: number; readonly Redis: number }
  /** A database of its own on the same server, for a peer; returns its address. */
  readonly makeDatabase: (name: string) => Promise<string>
  /** Makes a webhook; returns its id. */
  readonly webhook: (fields: Readonly<Record<string, unknown>>) => Promise<number>
  readonly close: () => Promise<void>
}

export const startRackwire = async (
  environment: Readonly<Record<string, string>> = {},
  start?: ProcessStart
): Promise<Rackwire> => {
  const directory = mkdtempSync(join(tmpdir(), "rackwire-bench-"))
  const service = await startProcess({ RACKWIRE_DATA_DIR: directory, LOG_LEVEL: "Warn", ...environment }, start)
  const owner = JSON.parse(readFileSync(join(directory, "owner.json"), "utf8")) as {
    readonly databaseUrl: string
    readonly redisUrl: string
    readonly servers: ReadonlyArray<{ readonly pid: number }>
  }
  const { secretKey } = JSON.parse(readFileSync(join(directory, "secrets.json"), "utf8")) as {
    readonly secretKey: string
  }
  const sql = openSql(owner.databaseUrl)
  return {
    service,
    sql,
    databaseUrl: owner.databaseUrl,
    superuserUrl: superuserUrlOf(directory, owner.databaseUrl),
    redisUrl: owner.redisUrl,
    secretKey,
    pid: () => service.process.pid!,
    cpu: () => {
      const servers = owner.servers.map(
        ({ pid }) => [readFileSync(`/proc/${pid}/comm`, "utf8"), cpuOfTree(pid)] as const
      )
      const of = (name: string) => servers.find(([comm]) => comm.startsWith(name))?.[1] ?? Number.NaN
      return { rackwire: usageOf(service.process.pid!).cpuSeconds, Postgres: of("postgres"), Redis: of("redis") }
    },
    makeDatabase: async (name) => {
      const superuser = openSql(superuserUrlOf(directory, owner.databaseUrl))
      await superuser.query(`create database ${name} owner ${new URL(owner.databaseUrl).username}`)
      await superuser.close()
      return databaseAt(owner.databaseUrl, name)
    },
    webhook: async (fields) => {
      const reply = await service.call<{ readonly id: number }>("POST", "/api/extras/webhooks/", {
        content_types: ["dcim.site"],
        type_create: true,
        ...fields
      })
      if (reply.status !== 201) throw new Error(reply.text)
      return reply.json.id
    },
    close: async () => {
      await sql.close()
      await service.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

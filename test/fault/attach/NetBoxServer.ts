/** The Postgres of a NetBox, which is restarted whenever it ends, and the network by which the service reads it. */
import { spawnSync } from "node:child_process"
import { appendFileSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type NetBoxDatabase, makeNetBox } from "../../source/NetBoxDatabase.ts"
import type { Release } from "../../source/NetBoxModels.ts"
import { type RunningServers, startServers } from "../../support/EmbeddedServers.ts"
import { openSql } from "../../support/Sql.ts"
import { Proxy } from "../Proxy.ts"
import type { Random } from "../Random.ts"
import { walSenderTimeout } from "../Template.ts"

/** An address that is never used: so no Redis starts. */
const noRedis = "redis://127.0.0.1:9"

export class NetBoxServer {
  readonly netbox: NetBoxDatabase
  readonly network: Proxy
  private readonly directory: string
  private servers: RunningServers
  private isStopped = false

  private constructor(directory: string, servers: RunningServers, netbox: NetBoxDatabase, network: Proxy) {
    this.directory = directory
    this.servers = servers
    this.netbox = netbox
    this.network = network
  }

  static async start(directory: string, release: Release, random: Random): Promise<NetBoxServer> {
    const servers = await startServers(directory, { REDIS_URL: noRedis })
    const server = openSql(servers.superuserUrl)
    await server.query(`alter system set wal_sender_timeout = '${walSenderTimeout}'`)
    await server.query("select pg_reload_conf()::text")
    await server.close()
    const netbox = await makeNetBox(release, servers.superuserUrl)
    const network = await Proxy.start(Number(new URL(servers.superuserUrl).port), random)
    return new NetBoxServer(directory, servers, netbox, network)
  }

  /** The address of the database through the network. */
  get databaseUrl(): string {
    return Object.assign(new URL(this.netbox.databaseUrl), { port: `${this.network.port}` }).href
  }

  /** Ends the server at once (SIGQUIT), or with its connections first (SIGINT); it is started again. */
  restart(signal: "SIGQUIT" | "SIGINT"): void {
    if (this.isStopped) return
    const owner = JSON.parse(readFileSync(join(this.directory, "owner.json"), "utf8")) as {
      readonly servers: ReadonlyArray<{ readonly pid: number }>
    }
    process.kill(owner.servers[0]!.pid, signal)
  }

  /** Copies the files of the server, which is stopped meanwhile. */
  backUp(): Promise<void> {
    return this.whileStopped(() => {
      rmSync(this.backup, { recursive: true, force: true })
      copy(this.data, this.backup)
    })
  }

  /** Puts the copy in the place of the files. `isNewTimeline`: as a recovery from an archive of the WAL does. */
  restore(isNewTimeline: boolean): Promise<void> {
    return this.whileStopped(() => {
      rmSync(this.data, { recursive: true })
      copy(this.backup, this.data)
      if (!isNewTimeline) return
      appendFileSync(join(this.data, "postgresql.auto.conf"), "restore_command = 'false'\n")
      // With the owner and mode that Postgres insists on.
      copy(join(this.data, "PG_VERSION"), join(this.data, "recovery.signal"))
    })
  }

  private async whileStopped(work: () => void): Promise<void> {
    this.isStopped = true
    await this.servers.stop()
    work()
    this.servers = await startServers(this.directory, { REDIS_URL: noRedis })
    this.isStopped = false
  }

  private get data(): string {
    return join(this.directory, "postgres")
  }

  private get backup(): string {
    return join(this.directory, "backup")
  }

  async stop(): Promise<void> {
    await this.netbox.sql.close()
    await this.network.close()
    await this.servers.stop()
  }
}

const copy = (from: string, to: string): void => {
  const { status, stderr } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" })
  if (status !== 0) throw new Error(`${from} cannot be copied: ${stderr}`)
}

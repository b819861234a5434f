/** A real PgBouncer on a loopback port. */
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePorts } from "../../src/embedded/Ports.ts"
import { unprivilegedUser } from "../../src/embedded/Unprivileged.ts"
import { eventually } from "./Eventually.ts"
import { needs } from "./Ledger.ts"

const binary = ["pgbouncer", "/usr/sbin/pgbouncer"].find((path) => spawnSync(path, ["--version"]).status === 0)

export const hasPgBouncer = needs("pgbouncer", binary !== undefined, "apt-get install pgbouncer")

export interface PgBouncer {
  /** The address of the same database through the pooler. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Starts one before the server of this address, with a few connections to it, at this port or a free one. */
export const startPgBouncer = async (
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
  port?: number
): Promise<PgBouncer> => {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl)
  const ownPort = port ?? (await freePorts(1))[0]!
  const directory = mkdtempSync(join(tmpdir(), "rackwire-pgbouncer-"))
  chmodSync(directory, 0o755)
  writeFileSync(join(directory, "users.txt"), `"${username}" "${password}"\n`)
  const all = {
    ...{ listen_addr: "127.0.0.1", listen_port: ownPort, unix_socket_dir: "" },
    ...{ auth_type: "scram-sha-256", auth_file: join(directory, "users.txt") },
    ...{ pool_mode: "transaction", default_pool_size: 3, max_client_conn: 200 },
    ...settings
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  const file = join(directory, "pgbouncer.ini")
  writeFileSync(file, `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${lines.join("\n")}\n`)
  const { uid, gid } = unprivilegedUser("postgres") ?? {}
  const user = uid === undefined || gid === undefined ? {} : { uid, gid }
  const child = spawn(binary!, [file], { stdio: "ignore", ...user })
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(ownPort, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false))
      socket.on("connect", () => socket.destroy())
    })
  await eventually("PgBouncer answers", answers)
  return {
    url: Object.assign(new URL(databaseUrl), { port: `${ownPort}` }).href,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => {
          rmSync(directory, { recursive: true, force: true })
          resolve()
        })
        child.kill("SIGKILL")
      })
  }
}

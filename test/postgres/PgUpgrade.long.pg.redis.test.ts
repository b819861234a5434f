/**
 * `pg_upgrade` of a cluster before 17, which leaves replication slots behind: the gap is named, and the deliveries that
 * follow have ids that no other one had. A process, because its servers stop and start with it.
 */
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { superuser } from "../../src/embedded/PostgresRoles.ts"
import { named } from "../support/Client.ts"
import { needs } from "../support/Ledger.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { startReceiver } from "../support/Receiver.ts"

const binaries = globSync("/usr/lib/postgresql/1[4-6]/bin/pg_upgrade").map((file) => dirname(file))[0]
const isThere = needs("Debian's Postgres", binaries !== undefined, "apt-get install postgresql")

const directory = mkdtempSync(join(tmpdir(), "rackwire-pg-upgrade-"))
let service: ServiceProcess | undefined

afterAll(async () => {
  await service?.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** The service's server has it from its command line. */
const settings = "-c wal_level=logical"

/** Upgrades the cluster of the data directory, whose servers are stopped, to its own version: slots are left behind too. */
const upgrade = (bin: string): void => {
  const [current, old, scratch] = ["postgres", "old", "scratch"].map((name) => join(directory, name)) as [
    string,
    string,
    string
  ]
  const { uid, gid } = statSync(current)
  const as = process.getuid?.() === 0 ? { uid, gid } : {}
  const run = (program: string, ...args: ReadonlyArray<string>): void => {
    const { status, stdout, stderr } = spawnSync(join(bin, program), args, { cwd: scratch, encoding: "utf8", ...as })
    if (status !== 0) throw new Error(`${program}: ${stdout}\n${stderr}`)
  }
  // Its user runs pg_upgrade.
  chmodSync(directory, 0o755)
  renameSync(current, old)
  for (const folder of [current, scratch]) {
    mkdirSync(folder, { mode: 0o700 })
    chownSync(folder, uid, gid)
  }
  run("initdb", "-D", current, "-U", superuser, "-E", "UTF8", "--locale=C", "-A", "trust")
  // Connections of pg_upgrade itself, over a socket that only this user may use.
  const guarded = join(old, "pg_hba.conf")
  copyFileSync(guarded, join(scratch, "pg_hba.conf"))
  copyFileSync(join(current, "pg_hba.conf"), guarded)
  run("pg_upgrade", "-b", bin, "-B", bin, "-d", old, "-D", current, "-U", superuser, "-s", scratch, "-o", settings)
  copyFileSync(join(scratch, "pg_hba.conf"), join(current, "pg_hba.conf"))
  copyFileSync(join(old, "rackwire_roles"), join(current, "rackwire_roles"))
}

it.runIf(isThere)("names the gap, and uses no id twice", { timeout: 300_000 }, async () => {
  const receiver = await startReceiver()
  const environment = { RACKWIRE_DATA_DIR: directory, POSTGRES_BIN: binaries! }
  const start = async () => (service = await startProcess(environment))
  const idOf = async (name: string) => {
    await service!.make("dcim/sites", named(name))
    const { headers } = await receiver.until(({ body }) => body.includes(`"name":"${name}"`), name)
    return String(headers["x-hook-delivery"])
  }
  try {
    await start()
    const webhook = { name: "sites", content_types: ["dcim.site"], type_create: true, payload_url: receiver.url }
    await service!.make("extras/webhooks", webhook)
    const before = await idOf("before")
    await service!.stop()
    upgrade(binaries!)
    await start()
    const after = await idOf("after")
    // The epoch is in the upper bits of a position.
    expect([before, after].map((id) => BigInt(id.split("-")[1]!) >> 52n)).toEqual([0n, 1n])
    expect(receiver.received).toHaveLength(2)
    const { json } = await service!.call<{ alarms: ReadonlyArray<string> }>("GET", "/health/")
    expect(json.alarms).toEqual([expect.stringMatching(/^a gap in the captured changes/)])
  } finally {
    await receiver.close()
  }
})

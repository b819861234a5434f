/** Embedded servers through the lives of the processes that own them. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { superuser } from "../../src/embedded/PostgresRoles.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { openSql } from "../support/Sql.ts"
import { superuserUrlOf } from "../support/EmbeddedServers.ts"
import { eventually } from "../support/Eventually.ts"

interface Owner {
  readonly process: { readonly pid: number }
  readonly databaseUrl: string
  readonly servers: ReadonlyArray<{ readonly pid: number }>
}

/** A data directory that was made once: making the cluster and its tables takes most of a first start. */
let template: string
let directory: string
const running = new Set<ServiceProcess>()

// As a clone in /root or in `mktemp -d`: nobody else may enter.
const makeDirectory = (): string => mkdtempSync(join(tmpdir(), "rackwire-embedded-"))

beforeAll(async () => {
  template = makeDirectory()
  const service = await start(template)
  const pids = owner(template).servers.map(({ pid }) => pid)
  await stop(service, "SIGTERM")
  await ended(() => pids)
})

afterAll(() => rmSync(template, { recursive: true }))

beforeEach(() => {
  directory = makeDirectory()
  // With owners and modes: Postgres insists on them.
  execFileSync("cp", ["-a", `${template}/.`, directory])
})

afterEach(async () => {
  await Promise.all([...running].map((service) => service.stop("SIGKILL")))
  running.clear()
  await ended(serverPids)
  rmSync(directory, { recursive: true, force: true })
})

const start = async (folder = directory): Promise<ServiceProcess> => {
  const service = await startProcess({ RACKWIRE_DATA_DIR: folder, A_TOKEN_OF_OURS: "secret" })
  running.add(service)
  return service
}

const stop = async (service: ServiceProcess, signal: NodeJS.Signals): Promise<void> => {
  running.delete(service)
  await service.stop(signal)
}

const owner = (folder = directory): Owner => JSON.parse(readFileSync(join(folder, "owner.json"), "utf8")) as Owner

const seen = new Set<number>()
const serverPids = (): ReadonlyArray<number> => {
  try {
    for (const { pid } of owner().servers) seen.add(pid)
  } catch {
    // Nobody owns it any more.
  }
  return [...seen]
}

const isAlive = (pid: number): boolean => {
  try {
    // A server whose parent was killed stays as a zombie until the system's first process has looked.
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

/** Waits until none of these processes is left. */
const ended = (pids: () => ReadonlyArray<number>) =>
  eventually("the servers ended", () => pids().every((pid) => !isAlive(pid)), { millis: 20_000 })

/** Makes of the roles what they were when the one role of the cluster was the service's own. */
const asEarlierVersion = async (superuserUrl: string): Promise<void> => {
  const before = openSql(superuserUrl)
  await before.query("create role turns_back superuser login password 'x'")
  await before.close()
  const sql = openSql(Object.assign(new URL(superuserUrl), { username: "turns_back", password: "x" }).href)
  await sql.query("alter role rackwire rename to gone")
  await sql.query(`alter role ${superuser} rename to rackwire`)
  await sql.query("reassign owned by gone to rackwire")
  await sql.query("alter database rackwire owner to rackwire")
  const { postgresPassword } = JSON.parse(readFileSync(join(directory, "secrets.json"), "utf8")) as {
    readonly postgresPassword: string
  }
  await sql.query(`alter role rackwire password '${postgresPassword}'`)
  await sql.close()
}

describe("embedded servers", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const) {
    it(`stop after their owner's ${signal}, and keep their data for the next owner`, { timeout: 60_000 }, async () => {
      const first = await start()
      const pids = serverPids()
      expect(pids.filter(isAlive).length).toBe(2)
      await first.call("POST", "/api/extras/tags/", { name: "Kept", slug: "kept" })
      await stop(first, signal)
      await ended(() => pids)
      const second = await start()
      const tags = await second.call<{ count: number }>("GET", "/api/extras/tags/?slug=kept")
      expect(tags.json.count).toBe(1)
    })
  }

  it("run side by side in two data directories, and require the password", async () => {
    const folder = makeDirectory()
    const [one, two] = await Promise.all([start(), start(folder)])
    expect(one.url).not.toBe(two.url)
    const url = new URL(owner().databaseUrl)
    url.password = "guess"
    await expect(openSql(url.href).query("select 1 as one")).rejects.toThrow("password authentication failed")
    await stop(two, "SIGTERM")
    rmSync(folder, { recursive: true, force: true })
  })

  it("serve a second process with the same data directory, which starts no servers", async () => {
    await start()
    const before = owner().servers
    const second = await start()
    expect(owner().servers).toEqual(before)
    await second.call("POST", "/api/extras/tags/", { name: "Shared", slug: "shared" })
    await stop(second, "SIGTERM")
    expect(before.every(({ pid }) => isAlive(pid))).toBe(true)
  })

  it("serve a second process that starts while the first one makes them", async () => {
    const folder = makeDirectory()
    const [one, two] = await Promise.all([start(folder), start(folder)])
    for (const service of [one, two]) expect((await service.call("GET", "/api/extras/tags/")).status).toBe(200)
    expect([one, two].filter(({ output }) => output().includes("waiting for process"))).toHaveLength(1)
    await Promise.all([stop(one, "SIGTERM"), stop(two, "SIGTERM")])
    rmSync(folder, { recursive: true, force: true })
  })

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    it(`are started by the second process after their owner's ${signal}, at the same addresses`, async () => {
      const first = await start()
      const second = await start()
      await second.call("POST", "/api/extras/tags/", { name: "Kept", slug: "kept" })
      const before = owner()
      await stop(first, signal)
      await expect.poll(() => owner().process.pid, { timeout: 60_000 }).toBe(second.process.pid)
      const ready = async () => (await fetch(`${second.url}/health/ready`)).status
      await expect.poll(ready, { timeout: 60_000 }).toBe(200)
      expect(owner().databaseUrl).toBe(before.databaseUrl)
      expect(before.servers.some(({ pid }) => isAlive(pid))).toBe(false)
      const tags = await second.call<{ count: number }>("GET", "/api/extras/tags/?slug=kept")
      expect(tags.json.count).toBe(1)
      const third = await start()
      expect((await third.call("GET", "/api/extras/tags/?slug=kept")).json["count"]).toBe(1)
    })
  }

  it("and their watchdogs do not get our secrets in their environment", async () => {
    const { process: ours } = await start()
    const children = readFileSync(`/proc/${ours.pid}/task/${ours.pid}/children`, "utf8").trim().split(" ")
    expect(children.length).toBeGreaterThanOrEqual(4)
    const environments = children.map((pid) => readFileSync(`/proc/${pid}/environ`, "utf8"))
    // Servers write over theirs; those of the watchdogs are readable, and came from the same hand.
    expect(environments.filter((environment) => environment.includes("PATH=")).length).toBeGreaterThanOrEqual(2)
    expect(environments.join("\n")).not.toMatch(/SUPERUSER_PASSWORD|A_TOKEN_OF_OURS/)
  })

  it.runIf(process.getuid?.() === 0)("do not run as root", async () => {
    await start()
    const uids = owner().servers.map(
      ({ pid }) => /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]
    )
    expect(uids).toHaveLength(2)
    expect(uids).not.toContain("0")
  })

  it("know the case of all letters, and order texts by their bytes", async () => {
    await start()
    const sql = openSql(owner().databaseUrl)
    const [row] = await sql.query("select lower('ZÜRICH') as lower, 'Z' < 'a' and 'ä' > 'z' as by_bytes")
    await sql.close()
    expect(row).toEqual({ lower: "zürich", by_bytes: true })
  })

  it("have a role without superuser rights in the address in database-url", async () => {
    await start()
    const sql = openSql(readFileSync(join(directory, "database-url"), "utf8").trim())
    const [role] = await sql.query("select rolsuper, rolreplication, rolcreaterole from pg_roles where rolname = user")
    expect(role).toEqual({ rolsuper: false, rolreplication: true, rolcreaterole: false })
    await expect(sql.query("copy (select 1) to program 'true'")).rejects.toThrow("permission denied")
    await expect(sql.query("select pg_read_file('PG_VERSION')")).rejects.toThrow("permission denied")
    const [{ extensions } = { extensions: 0 }] = await sql.query<{ readonly extensions: number }>(
      "select count(*)::int as extensions from pg_extension where extname in ('pg_trgm', 'btree_gin')"
    )
    expect(extensions).toBe(2)
    await sql.close()
  })

  it("take over a data directory in which the service was a superuser and Redis ran as our own user", async () => {
    const first = await start()
    await first.call("POST", "/api/extras/tags/", { name: "Kept", slug: "kept" })
    await asEarlierVersion(superuserUrlOf(directory, owner().databaseUrl))
    await stop(first, "SIGTERM")
    await ended(serverPids)
    rmSync(join(directory, "postgres", "rackwire_roles"))
    if (process.getuid?.() === 0) execFileSync("chown", ["-R", "0:0", join(directory, "redis")])

    for (const turn of ["the start that takes it over", "the start after it"]) {
      const service = await start()
      const tags = await service.call<{ count: number }>("GET", "/api/extras/tags/?slug=kept")
      expect([turn, tags.json.count]).toEqual([turn, 1])
      const sql = openSql(owner().databaseUrl)
      const left = await sql.query(
        `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relowner <> user::regrole
         union all select pubname::text from pg_publication where pubowner <> user::regrole
         union all select datname::text from pg_database where datname = current_database() and datdba <> user::regrole
         union all select 'superuser' from pg_roles where rolname = user and rolsuper`
      )
      expect(left).toEqual([])
      await sql.close()
      await stop(service, "SIGTERM")
    }
  })

  it("start although a crash left lock files that name other processes", async () => {
    await stop(await start(), "SIGTERM")
    const stale = `${process.pid}\n/somewhere\n0\n5432\n\nlocalhost\n0 0\nready\n`
    writeFileSync(join(directory, "postgres", "postmaster.pid"), stale)
    writeFileSync(
      join(directory, "owner.json"),
      JSON.stringify({ process: { pid: process.pid, started: "long ago" }, servers: [], databaseUrl: "", redisUrl: "" })
    )
    const service = await start()
    expect((await service.call("GET", "/api/extras/tags/")).status).toBe(200)
  })
})

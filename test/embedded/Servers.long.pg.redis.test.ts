/** Embedded servers through more lives of the processes that own them. */
import { execFileSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { superuser } from "../../src/embedded/PostgresRoles.ts"
import { superuserUrlOf } from "../support/EmbeddedServers.ts"
import { openSql } from "../support/Sql.ts"
import {
  directory,
  ended,
  isAlive,
  makeDirectory,
  owner,
  serverPids,
  start,
  stop,
  useDirectories
} from "./DataDirectories.ts"
import { ends, isFollowed } from "./Lives.ts"

useDirectories()

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
  ends("SIGTERM")
  ends("SIGINT")
  ends("SIGKILL")
  it("run apart from us: with a role and a user of less rights, and without our secrets", async () => {
    const { process: ours } = await start()
    const children = readFileSync(`/proc/${ours.pid}/task/${ours.pid}/children`, "utf8").trim().split(" ")
    expect(children.length).toBeGreaterThanOrEqual(4)
    const environments = children.map((pid) => readFileSync(`/proc/${pid}/environ`, "utf8"))
    // Servers write over theirs; those of the watchdogs are readable, and came from the same hand.
    expect(environments.filter((environment) => environment.includes("PATH=")).length).toBeGreaterThanOrEqual(2)
    expect(environments.join("\n")).not.toMatch(/SUPERUSER_PASSWORD|A_TOKEN_OF_OURS/)
    const uids = owner().servers.map(
      ({ pid }) => /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]
    )
    expect(uids).toHaveLength(2)
    expect(uids).not.toContain("0")
    const sql = openSql(readFileSync(join(directory, "database-url"), "utf8").trim())
    const [row] = await sql.query("select lower('ZÜRICH') as lower, 'Z' < 'a' and 'ä' > 'z' as by_bytes")
    expect(row).toEqual({ lower: "zürich", by_bytes: true })
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

  isFollowed("SIGTERM")
  isFollowed("SIGKILL")

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

  it("serve a second process with the same data directory, which starts no servers", async () => {
    await start()
    const before = owner().servers
    const second = await start()
    expect(owner().servers).toEqual(before)
    await second.call("POST", "/api/extras/tags/", { name: "Shared", slug: "shared" })
    await stop(second, "SIGTERM")
    expect(before.every(({ pid }) => isAlive(pid))).toBe(true)
  })

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

  it("serve a second process that starts while the first one makes them", async () => {
    const folder = makeDirectory()
    const [one, two] = await Promise.all([start(folder), start(folder)])
    for (const service of [one, two]) expect((await service.call("GET", "/api/extras/tags/")).status).toBe(200)
    expect([one, two].filter(({ output }) => output().includes("waiting for process"))).toHaveLength(1)
    await Promise.all([stop(one, "SIGTERM"), stop(two, "SIGTERM")])
    rmSync(folder, { recursive: true, force: true })
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
})

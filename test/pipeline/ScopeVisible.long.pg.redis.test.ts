/** A webhook with a scope, and a commit that is in the WAL before other sessions can see it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { startService } from "../support/Service.ts"
import { type Sql, openSql } from "../support/Sql.ts"
import { type RunningServers, startServers } from "../support/EmbeddedServers.ts"
import { startReceiver } from "../support/Receiver.ts"

/** A Postgres of its own whose commits wait for a standby that does not exist, unless a session says otherwise. */
const hesitant = async (servers: RunningServers): Promise<Sql> => {
  const sql = openSql(servers.superuserUrl)
  const [database] = await sql.query<{ name: string }>("select current_database()::text as name")
  await sql.query(`alter database ${database!.name} set synchronous_commit = local`)
  await sql.query("alter system set synchronous_standby_names = 'nobody'")
  await sql.query("select pg_reload_conf()")
  return sql
}

it("a scoped webhook waits until the commit is visible, and does not miss its event", async () => {
  const directory = mkdtempSync(join(tmpdir(), "rackwire-visible-"))
  const servers = await startServers(directory)
  const sql = await hesitant(servers)
  const receiver = await startReceiver()
  const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = servers
  const service = await startService({ DATABASE_URL, REDIS_URL, SECRET_KEY: "a key for tests, of sufficient length" })
  const user = await service.make("users/users", { username: "somebody", password: "a password for tests" })
  await service.make("users/permissions", {
    name: "active sites",
    object_types: ["dcim.site"],
    actions: ["view"],
    constraints: { status: "active" },
    users: [user]
  })
  const webhook = { name: "scoped", content_types: ["dcim.site"], type_create: true, payload_url: receiver.url }
  await service.make("extras/webhooks", { ...webhook, scope_user: user })
  const insert = "insert into dcim_site (name, slug) values ('Held', 'held')"
  const written = sql.transaction("set local synchronous_commit = on", insert)
  const waiting = "from pg_stat_activity where wait_event = 'SyncRep'"
  await expect.poll(() => sql.query(`select pid ${waiting}`)).toHaveLength(1)
  const logged = () => sql.query("select id from extras_objectchange where object_repr = 'Held'")
  await expect.poll(logged).toHaveLength(1)
  expect(await sql.query("select id from dcim_site")).toEqual([])
  // The rows committed here stay, and are visible from now on.
  await sql.query(`select pg_cancel_backend(pid)::text ${waiting}`)
  await written
  await receiver.until(({ body }) => body.includes('"Held"'))
  await service.stop()
  await receiver.close()
  await sql.close()
  await servers.stop()
  rmSync(directory, { recursive: true, force: true })
})

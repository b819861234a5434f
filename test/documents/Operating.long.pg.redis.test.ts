/**
 * The examples of docs/operating.md as an operator pastes them: a backup, and a restore of Postgres beside an empty
 * Redis. What was owed at the backup is sent under its ids, and nothing that the restored database does not know.
 */
import { globSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openSql } from "../support/Sql.ts"
import { type RunningServers, startServers } from "../support/EmbeddedServers.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { documentAt, hasLines, stepsOf } from "./Steps.ts"
import { type Shell, openShell } from "./Shell.ts"
import { needs } from "../support/Ledger.ts"

const document = documentAt("docs/operating.md")

/** Debian's: the packages of the embedded Postgres have no pg_dump, and one of another version refuses the server. */
const [dumper] = globSync("/usr/lib/postgresql/*/bin/pg_dump")
const hasDumper = needs("pg_dump", dumper !== undefined, "apt-get install postgresql")

/** Starts and stops one process with all roles in place of the units. */
const systemctl = `systemctl() {
  if [ "$1" = stop ]; then
    kill $service && wait $service || true
    # The walsender takes a moment to release its slot.
    while psql "$ADMIN_URL" -Atc 'select 1 from pg_replication_slots where active' | grep -q 1; do sleep 0.1; done
  else
    node_modules/.bin/rackwire serve > service.log &
    service=$!
    until grep -q '^ready' service.log; do sleep 0.1; done
  fi
}
export PATH="${dirname(dumper ?? "/")}:$PATH"
systemctl start
# A process tells every two seconds how its capture is; check reads it.
sleep 3`

describe.runIf(hasDumper)("an operator with a Postgres of which there is a pg_dump", () => {
  let directory: string
  let servers: RunningServers
  let receiver: Receiver
  let shell: Shell
  let isBroken = true

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "rackwire-operating-"))
    servers = await startServers(directory, { POSTGRES_BIN: dirname(dumper!) })
    receiver = await startReceiver(() => (isBroken ? 500 : 200))
    shell = openShell({
      DATABASE_URL: servers.databaseUrl,
      ADMIN_URL: Object.assign(new URL(servers.superuserUrl), { pathname: "/postgres" }).href,
      // redis-cli wants the name of the user.
      REDIS_URL: Object.assign(new URL(servers.redisUrl), { username: "default" }).href,
      ...{ SECRET_KEY: "a key for tests, of sufficient length", PORT: "0" }
    })
  })

  afterAll(async () => {
    shell.close()
    await receiver.close()
    await servers.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const insertSite = async (name: string): Promise<void> => {
    const sql = openSql(servers.databaseUrl)
    await sql.query("insert into dcim_site (name, slug) values ($1, $1)", [name])
    await sql.close()
  }

  const arrivals = () =>
    receiver.received.map(({ headers, body }) => ({
      id: headers["x-hook-delivery"],
      name: (JSON.parse(body.toString()) as { readonly data: { readonly name: string } }).data.name
    }))

  it("backs up and restores as the page says", async () => {
    await shell.run(systemctl)
    const sql = openSql(servers.databaseUrl)
    await sql.query(
      `insert into extras_webhook (name, content_types, type_create, payload_url, retry_schedule)
       values ('sites', '{dcim.site}', true, $1, '{"kind": "fixed", "delay": 5, "attempts": 100}')`,
      [receiver.url]
    )
    await sql.close()
    await insertSite("before")
    await receiver.until(({ body }) => body.includes('"before"'), "the attempt before the backup")
    const owed = arrivals()[0]
    let output = ""
    for (const step of stepsOf(document)) {
      if (step.kind === "output" && !hasLines(output, step.lines))
        throw new Error(`${step.lines.join("\n")}\nnot in\n${output}`)
      if (step.kind !== "run") continue
      const isRestore = step.script.includes("pg_restore")
      if (isRestore) {
        await insertSite("after")
        await receiver.until(({ body }) => body.includes('"after"'), "the attempt after the backup")
      }
      const known = receiver.received.length
      output = await shell.run(step.script)
      if (!isRestore) continue
      isBroken = false
      await receiver.untilAll(() => arrivals().length > known)
      await insertSite("later")
      await receiver.until(({ body }) => body.includes('"later"'), "a change after the restore")
      expect(arrivals().slice(known)).toEqual([owed, { id: expect.any(String), name: "later" }])
    }
    expect(output).toContain("acknowledged")
  })
})

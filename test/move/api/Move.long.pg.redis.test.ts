/** The public demo data of NetBox 3.5, moved from its database into a service of ours, and from there by the API. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { afterAll, expect, test } from "vitest"
import { type Api, startApi } from "../../support/Api.ts"
import { type TestDatabase, makeDatabase, makeEmptyDatabase, servers } from "../../support/Database.ts"
import { databaseAt } from "../../support/Sql.ts"
import { apiAt, moveInto, verifyInto } from "../Source.ts"

const dump = new URL("../../../../shared/data/netbox-demo/netbox-demo-v3.5.sql.gz", import.meta.url)
const psql = ["/usr/lib/postgresql/15/bin/psql", "/usr/bin/psql"].find(existsSync)
const missing = !existsSync(dump) ? `there is no ${dump.pathname}` : psql === undefined ? "there is no psql" : undefined

const opened: Array<TestDatabase> = []
let api: Api | undefined
afterAll(async () => {
  await api?.stop()
  await Promise.all(opened.map((each) => each.drop()))
})

const sumOf = (types: ReadonlyArray<{ readonly rows: number }>) => types.reduce((sum, { rows }) => sum + rows, 0)

test.skipIf(missing !== undefined)(
  `the demo data is moved by the API as from the database (skipped if ${missing ?? "the dump is missing"})`,
  async () => {
    const [netBox, target] = [await makeEmptyDatabase(), await makeDatabase()]
    opened.push(netBox, target)
    await netBox.superuser.query(
      "do $$ begin create role netbox; exception when duplicate_object or unique_violation then null; end $$"
    )
    const { pathname, username } = new URL(netBox.databaseUrl)
    const superuser = databaseAt(servers.superuserUrl, pathname.slice(1))
    execFileSync("sh", ["-c", `gzip -dc '${dump.pathname}' | '${psql}' -q -o /dev/null '${superuser}'`], {
      stdio: "ignore"
    })
    await netBox.superuser.query(`grant select on all tables in schema public to "${username}"`)
    api = await startApi()
    // The administrator gets NetBox's password.
    const token = await api.newToken()
    const first = await moveInto({ from: netBox.databaseUrl, to: api.database.databaseUrl })
    const both = { from: apiAt(api.service.url, token), to: target.databaseUrl }
    const { report, findings } = await moveInto(both)
    expect(findings).toEqual([])
    expect(sumOf(report.types)).toBe(sumOf(first.report.types))
    expect((await verifyInto(both)).deviations).toEqual([])
    const { deviations } = await verifyInto({ from: netBox.databaseUrl, to: target.databaseUrl })
    // The API has no passwords.
    expect(new Set(deviations.map(({ type, fields }) => `${type} ${fields.join(" ")}`))).toEqual(
      new Set(["users.user password", "users.user is_superuser password"])
    )
  },
  600_000
)

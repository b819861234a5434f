/** Embedded servers outlive the process that made them, which is killed. Servers.long tries more ends. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openSql } from "../support/Sql.ts"
import { directory, owner, start, useDirectories } from "./DataDirectories.ts"
import { isFollowed } from "./Lives.ts"

useDirectories()

describe("embedded servers", () => {
  isFollowed("SIGKILL")

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
})

/** Goal: defaults of a database that the service cannot work with are overridden or refused at the start. */
import { expect, it, onTestFinished } from "vitest"
import { environmentOf } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { makeDatabase, makeEmptyDatabase, servers } from "../support/Database.ts"
import { databaseAt, openSql } from "../support/Sql.ts"
import { onPool } from "../support/OnPool.ts"
import { startService } from "../support/Service.ts"
import { thorough } from "../support/Seed.ts"

const nameOf = (url: string) => new URL(url).pathname.slice(1)

thorough("transactions are read committed where the database says serializable", async () => {
  const database = await makeDatabase()
  onTestFinished(() => database.drop())
  await database.superuser.query(
    `alter database ${nameOf(database.databaseUrl)} set default_transaction_isolation = 'serializable'`
  )
  const shown = await onPool(
    database.databaseUrl,
    (sql) => sql`select current_setting('transaction_isolation') as level`
  )
  expect(shown).toEqual([{ level: "read committed" }])
  const service = await startService(environmentOf(database))
  onTestFinished(() => service.stop())
  const sites = await service.makeAll(
    "dcim/sites",
    Array.from({ length: 5 }, (_, n) => named(`Site ${n}`))
  )
  const changes = Array.from({ length: 200 }, (_, n) =>
    service.call("PATCH", `/api/dcim/sites/${sites[n % sites.length]}/`, { description: `change ${n}` })
  )
  const statuses = (await Promise.all(changes)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

it("a database that is not UTF-8 is refused, and nothing is created in it", async () => {
  const beside = await makeEmptyDatabase()
  const name = `${nameOf(beside.databaseUrl)}_latin1`
  const server = openSql(servers.superuserUrl)
  const owner = new URL(servers.databaseUrl).username
  await server.query(
    `create database ${name} owner ${owner} encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`.concat(
      (await server.query("select 1 as one where current_setting('server_version_num')::int >= 150000")).length > 0
        ? " locale_provider libc"
        : ""
    )
  )
  const url = databaseAt(servers.databaseUrl, name)
  await expect(startService({ ...environmentOf(beside), DATABASE_URL: url })).rejects.toThrow(
    "DATABASE_URL: the database is encoded in LATIN1, which has no code for most characters. Create another one:  create database"
  )
  const sql = openSql(url)
  expect(await sql.query("select relname::text from pg_class where relnamespace = 'public'::regnamespace")).toEqual([])
  await sql.close()
  await server.query(`drop database ${name} with (force)`)
  await server.close()
  await beside.drop()
})

/** The whole service in another schema than `public`, which the address names. */
import { expect, it } from "vitest"
import { environmentOf } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { makeEmptyDatabase } from "../support/Database.ts"
import { startReceiver } from "../support/Receiver.ts"
import { startService } from "../support/Service.ts"
import { runCommand } from "../support/Command.ts"

it("works in the schema of its search_path, and leaves public alone", async () => {
  const database = await makeEmptyDatabase()
  const owner = new URL(database.databaseUrl).username
  await database.superuser.query(`create schema inventory authorization ${owner}`)
  const environment = {
    ...environmentOf(database),
    DATABASE_URL: `${database.databaseUrl}?options=-c%20search_path%3Dinventory`
  }
  const receiver = await startReceiver()
  const service = await startService(environment)
  await service.call("POST", "/api/extras/webhooks/", {
    name: "sites",
    content_types: ["dcim.site"],
    type_create: true,
    type_update: true,
    payload_url: receiver.url
  })
  const site = await service.make("dcim/sites", named("By the API"))
  await database.superuser.query("insert into inventory.dcim_site (name, slug) values ('By SQL', 'by-sql')")
  await service.call("PATCH", `/api/dcim/sites/${site}/`, { description: "changed" })
  await receiver.untilAll((all) => all.length >= 3)
  const check = await runCommand(["check"], { env: environment })
  const tables = await database.superuser.query<{ readonly schema: string; readonly count: number }>(
    `select relnamespace::regnamespace::text as schema, count(*)::int as count from pg_class
      where relkind in ('r', 'p', 'S') and relnamespace in ('public'::regnamespace, 'inventory'::regnamespace) group by 1`
  )
  await service.stop()
  await receiver.close()
  expect(tables.map(({ schema }) => schema)).toEqual(["inventory"])
  expect(check.output).toMatch(/All \d+ checks are well\./)
  // A second start finds its tables again.
  const again = await startService(environment)
  expect((await again.call("GET", "/api/dcim/sites/?q=by")).json).toMatchObject({ count: 2 })
  expect(again.output()).not.toContain("migrated")
  await again.stop()
  await database.drop()
})

import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { database, migrateAll } from "../pipeline/Foundation.ts"
import { ofService } from "./service/OfService.ts"
import { entry } from "./service/Entry.ts"

const hasTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`select 1 from pg_tables where schemaname = current_schema() limit 1`
  return tables.length > 0
})

/** `migrate`: runs only the migration, which every start runs as well. Prints how it changed existing tables. */
export default Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const isNew = !(yield* hasTables)
    const statements = yield* migrateAll
    if (isNew)
      return yield* Console.log(`The inventory was created in an empty database (${statements.length} statements).`)
    for (const statement of statements) yield* Console.log(`${statement};`)
    yield* Console.log(statements.length === 0 ? "Nothing to migrate." : `${statements.length} statements.`)
  }).pipe(ofService(database))
).pipe(
  Command.withDescription("Migrate the database to this version; serve does this as well."),
  entry({
    migrate:
      "Migrates the database to this version, and prints how existing tables change; `serve` migrates too. An older Rackwire refuses a database that a newer one has migrated: back up before an upgrade."
  })
)

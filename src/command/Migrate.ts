import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { database, migrateAll } from "../Service.ts"

/** `migrate`: runs only the migration, which every start runs as well, and prints its statements. */
export const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const statements = yield* migrateAll
    for (const statement of statements) yield* Console.log(`${statement};`)
    yield* Console.log(statements.length === 0 ? "Nothing to migrate." : `${statements.length} statements.`)
  }).pipe(Effect.provide(database))
).pipe(Command.withDescription("Migrate the database to this version; serve does this as well."))

import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { database, migrateAll } from "../Service.ts"

/** `migrate`: what every start does, alone, telling what it did. */
export const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const statements = yield* migrateAll
    for (const statement of statements) yield* Console.log(`${statement};`)
    yield* Console.log(statements.length === 0 ? "Nothing to migrate." : `${statements.length} statements.`)
  }).pipe(Effect.provide(database))
).pipe(Command.withDescription("Make the database fit this version; serve does it too."))

/** `restored`: begins a new epoch, because Postgres and Redis were restored from a backup. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { database } from "../pipeline/Foundation.ts"
import { beginRestored } from "../capture/slot/Epoch.ts"
import { ofService } from "./OfService.ts"

export const restored = Command.make("restored", {}, () =>
  Effect.gen(function* () {
    const epoch = yield* beginRestored
    yield* Console.log(
      epoch === undefined
        ? "Nothing was ever captured here: there is nothing to do."
        : `Epoch ${epoch} begins: no delivery gets an id that another one had after the backup.`
    )
  }).pipe(ofService(database))
).pipe(Command.withDescription("Tell Rackwire that Postgres and Redis were restored from a backup."))

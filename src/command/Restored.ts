/** `restored`: begins a new epoch, because Postgres and Redis were restored from a backup. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { database } from "../pipeline/Foundation.ts"
import { beginRestored } from "../capture/slot/Epoch.ts"
import { ofService } from "./service/OfService.ts"
import { entry } from "./service/Entry.ts"

export default Command.make("restored", {}, () =>
  Effect.gen(function* () {
    const epoch = yield* beginRestored
    yield* Console.log(
      epoch === undefined
        ? "Nothing was ever captured here: there is nothing to do."
        : `Epoch ${epoch} begins: no delivery gets an id that another one had after the backup.`
    )
  }).pipe(ofService(database))
).pipe(
  Command.withDescription("Begin a new epoch after Postgres and Redis were restored from a backup."),
  entry({
    restored:
      "Run this after you restored Postgres and Redis together from a backup, before you start the service. A new epoch of delivery ids begins, so that no receiver takes a new delivery for one that it has received before. Rackwire notices a copied data directory and a new timeline by itself; running the command too does no harm."
  })
)

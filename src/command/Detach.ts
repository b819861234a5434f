/** `detach`: ends the reading of an attached NetBox. The work is that of attach/Attach.ts. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { detachSource, sourceNamed } from "../attach/Attach.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { foundation } from "../pipeline/Foundation.ts"
import { CommandFailed, entry } from "./service/Entry.ts"
import { ofService } from "./service/OfService.ts"

export default Command.make(
  "detach",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the source")) },
  ({ name }) =>
    Effect.gen(function* () {
      const source = yield* sourceNamed(name)
      if (source === undefined) return yield* new CommandFailed({ message: `There is no source ${name}.` })
      const { webhooks } = yield* detachSource(source).pipe(
        Effect.mapError((error) => new CommandFailed({ message: `The slot is not dropped: ${inWords(error)}` }))
      )
      yield* Console.log(
        `The slot and the publication of ${name} are dropped; NetBox keeps nothing for Rackwire any more.`
      )
      yield* Console.log(
        webhooks === 0
          ? `The source is deleted. Its past events stay in the change log.`
          : `${webhooks} webhooks are of this source: it stays, disabled, until they are deleted.`
      )
    }).pipe(Effect.scoped, ofService(foundation))
).pipe(
  Command.withDescription("End the reading of an attached NetBox, and drop its slot and its publication."),
  entry({
    "detach NAME":
      "Ends the reading of an attached NetBox: its slot and publication are dropped, nothing of it stays there."
  })
)

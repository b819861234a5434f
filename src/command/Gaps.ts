/** `gaps`: lists the spans in which changes may not have been captured, and acknowledges them. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { database } from "../pipeline/Foundation.ts"
import { unacknowledgedGaps } from "../capture/slot/Gaps.ts"
import { acknowledgeGap } from "../history/capture/CaptureState.ts"
import { ofService } from "./service/OfService.ts"
import { CommandFailed, entry } from "./service/Entry.ts"

export default Command.make(
  "gaps",
  {
    acknowledge: Flag.Int("acknowledge").pipe(
      Flag.withDescription("Number of the gap that needs no more attention"),
      Flag.optional
    )
  },
  ({ acknowledge }) =>
    Effect.gen(function* () {
      if (Option.isSome(acknowledge)) {
        const { value: id } = acknowledge
        if (!(yield* acknowledgeGap(id))) {
          return yield* new CommandFailed({ message: `There is no gap ${id} that waits to be acknowledged.` })
        }
        return yield* Console.log(`Gap ${id} is acknowledged.`)
      }
      const found = yield* unacknowledgedGaps
      for (const { sentence } of found) yield* Console.log(`gap ${sentence}`)
      if (found.length === 0) yield* Console.log("There are no gaps.")
    }).pipe(ofService(database))
).pipe(
  Command.withDescription("List spans in which changes may not have been captured, or acknowledge one."),
  entry({
    "gaps [--acknowledge ID]":
      "Lists gaps: spans in which changes may not have been captured, because the slot was lost or somebody changed the publication. Acknowledging one ends its alarm."
  })
)

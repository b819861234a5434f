/** `users reset-factors`: removes the second factors of a user who lost them. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { auditFactorReset } from "../auth/Audit.ts"
import { removeFactors } from "../auth/factor/Factors.ts"
import { userIdOf } from "../auth/Superuser.ts"
import { database } from "../pipeline/Foundation.ts"
import { ofService } from "./service/OfService.ts"
import { CommandFailed, entry } from "./Entry.ts"

export default Command.make(
  "users",
  {
    action: Argument.Literals("action", ["reset-factors"]).pipe(
      Argument.withDescription(
        "reset-factors: remove the authenticator app, the passkeys and the recovery codes of the user"
      )
    ),
    name: Argument.String("name").pipe(Argument.withDescription("Name of the user"))
  },
  ({ name }) =>
    Effect.gen(function* () {
      const user = yield* userIdOf(name)
      if (user === undefined) return yield* new CommandFailed({ message: `There is no user ${name}.` })
      if (!(yield* removeFactors(user))) return yield* Console.log(`User ${name} has no second factor.`)
      yield* auditFactorReset(name, { name: "rackwire users", address: undefined })
      yield* Console.log(`The second factor of ${name} is removed. The password alone logs the user in.`)
    }).pipe(ofService(database))
).pipe(
  Command.withDescription("Remove the second factor of a user who lost it."),
  entry({
    "users reset-factors NAME":
      "Removes the authenticator app, the passkeys and the recovery codes of a user: for the case that nobody who may change the user can log in."
  })
)

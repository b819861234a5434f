/** `users`: brings users in line with the directory, and lets a user in who cannot log in. */
import { Console, Effect, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Attempts } from "../auth/Attempts.ts"
import { auditFactorReset } from "../auth/Audit.ts"
import { removeFactors } from "../auth/factor/Factors.ts"
import { userIdOf } from "../auth/Superuser.ts"
import { unlockUser } from "../auth/user/Unlock.ts"
import { LdapDirectory } from "../auth/ldap/LdapDirectory.ts"
import { syncUsers } from "../auth/ldap/LdapSync.ts"
import { database, foundation, migrateAll } from "../pipeline/Foundation.ts"
import { CommandFailed, entry } from "./service/Entry.ts"
import { ofService } from "./service/OfService.ts"

const failed = (message: string) => new CommandFailed({ message })

const sync = Command.make(
  "sync",
  {
    many: Flag.Boolean("many").pipe(
      Flag.withDescription("Accept that more than ten users, and more than half, end (default: change nothing then)"),
      Flag.withDefault(false)
    )
  },
  ({ many }) =>
    Effect.gen(function* () {
      yield* migrateAll
      const changes = yield* syncUsers(many).pipe(
        Effect.catchTags({
          SyncRefused: ({ reason, ending, all }) =>
            failed(
              {
                NoDirectory: "There is no directory: set LDAP_URL.",
                NoBindName: "Nobody may search the users of the directory: set LDAP_BIND_DN and LDAP_BIND_PASSWORD.",
                ManyEnd: `${ending} of ${all} users of the directory would become inactive, so nothing was changed. Check LDAP_USER_BASE, LDAP_USER_FILTER and LDAP_REQUIRED_GROUP; with --many they end.`
              }[reason]
            ),
          SignInRefused: ({ reason, sentence, cause = "" }) =>
            failed(
              reason === "InvalidAnswer"
                ? `The directory cannot be read, so nothing was changed: ${cause}`
                : `${sentence} ${cause}`
            )
        })
      )
      for (const { username, change } of changes) yield* Console.log(`${username}: ${words[change]}`)
      yield* Console.log(`${changes.length} users changed.`)
    }).pipe(ofService(LdapDirectory.layer.pipe(Layer.provideMerge(foundation))))
).pipe(Command.withDescription("Bring the groups and the state of all users of the LDAP directory in line with it."))

const words = { ended: "inactive now", "active again": "active again", groups: "other groups" } as const

const unlock = Command.make(
  "unlock",
  { username: Argument.String("username").pipe(Argument.withDescription("Name of the user")) },
  ({ username }) =>
    Effect.gen(function* () {
      yield* migrateAll
      if (!(yield* unlockUser(username))) return yield* failed(`There is no user ${username}.`)
      yield* (yield* Attempts).forget(username)
      yield* Console.log(`User ${username} is active, and may try to log in.`)
    }).pipe(ofService(Attempts.layer.pipe(Layer.provideMerge(foundation))))
).pipe(Command.withDescription("Make a user active, and forget failed attempts to log in by its name."))

const resetFactors = Command.make(
  "reset-factors",
  { username: Argument.String("username").pipe(Argument.withDescription("Name of the user")) },
  ({ username }) =>
    Effect.gen(function* () {
      const user = yield* userIdOf(username)
      if (user === undefined) return yield* failed(`There is no user ${username}.`)
      if (!(yield* removeFactors(user))) return yield* Console.log(`User ${username} has no second factor.`)
      yield* auditFactorReset(username, { name: "rackwire users", address: undefined })
      yield* Console.log(`The second factor of ${username} is removed. The password alone logs the user in.`)
    }).pipe(ofService(database))
).pipe(
  Command.withDescription("Remove the authenticator app, the passkeys and the recovery codes of a user who lost them.")
)

export default Command.make("users").pipe(
  Command.withDescription("Bring users in line with the directory, or let one in again."),
  Command.withSubcommands([sync, unlock, resetFactors]),
  entry({
    "users sync [--many]":
      "Reads every user of the LDAP directory: groups follow, and a user whose account is deleted, disabled or no longer admitted becomes inactive, tokens included. Run it by a timer.",
    "users unlock NAME":
      "Makes a user active, and forgets the failed attempts to log in by this name. The way in with `LOCAL_LOGIN=off` is `LOCAL_LOGIN=superusers`.",
    "users reset-factors NAME":
      "Removes the authenticator app, the passkeys and the recovery codes of a user: for the case that nobody who may change the user can log in."
  })
)

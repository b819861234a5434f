import { text } from "node:stream/consumers"
import { Console, Effect, Redacted } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { database, migrateAll } from "../Service.ts"
import { isCommonPassword, tooCommon } from "../CommonPasswords.ts"
import { passwordLength } from "../Vault.ts"
import { createSuperuser as make } from "../auth/Superuser.ts"
import { CommandFailed } from "./CommandFailed.ts"

const askPassword = Prompt.run(Prompt.Password({ message: "Password" })).pipe(Effect.map(Redacted.value))

/** Reads the password from the standard input, for scripts. */
const readPassword = Effect.map(
  Effect.promise(() => text(process.stdin)),
  (input) => input.replace(/\r?\n$/, "")
)

/** `createsuperuser`: creates a user with all permissions, or gives an existing user these and a new password. */
export const createSuperuser = Command.make(
  "createsuperuser",
  { username: Flag.String("username").pipe(Flag.withDescription("Name of the user"), Flag.withDefault("admin")) },
  ({ username }) =>
    Effect.gen(function* () {
      const password = yield* process.stdin.isTTY ? askPassword : readPassword
      if (password.length < passwordLength.min) {
        return yield* new CommandFailed({ message: `A password has at least ${passwordLength.min} characters.` })
      }
      if (isCommonPassword(password)) return yield* new CommandFailed({ message: tooCommon })
      yield* migrateAll
      yield* make(username, password)
      yield* Console.log(`Superuser ${username} created.`)
    }).pipe(Effect.provide(database))
).pipe(Command.withDescription("Create a superuser or change its password, which is prompted for or read from stdin."))

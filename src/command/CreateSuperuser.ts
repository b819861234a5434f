import { Console, Effect, Redacted, Stdio, Stream } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { guessableProblem } from "../auth/password/ContextWords.ts"
import { Settings } from "../Config.ts"
import { database, migrateAll } from "../pipeline/Foundation.ts"
import { passwordLength } from "../inventory/Vault.ts"
import { createSuperuser as make, hasUser } from "../auth/Superuser.ts"
import { ofService } from "./service/OfService.ts"
import { CommandFailed, entry } from "./service/Entry.ts"

const failed = (message: string) => new CommandFailed({ message })

const ask = (message: string) => Effect.map(Prompt.run(Prompt.Password({ message })), Redacted.value)

/** Prompts twice, because the terminal does not show what is typed. */
const askPassword = Effect.gen(function* () {
  const password = yield* ask("Password")
  return password === (yield* ask("Password again")) ? password : yield* failed("The two passwords differ.")
})

/** Reads the password from the standard input, for scripts; a line break at its end does not belong to it. */
const readPassword = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const password = (yield* Stream.mkString(Stream.decodeText(stdin))).replace(/\r?\n$/, "")
  return /[\r\n]/.test(password)
    ? yield* failed("The standard input has more than one line. A password is one line.")
    : password
})

const refusePassword = Effect.fnUntraced(function* (password: string, username: string) {
  const { min, max } = passwordLength
  const { passwordWords } = yield* Settings
  if (password.length < min || password.length > max)
    return yield* failed(`A password has ${min} to ${max} characters.`)
  const problem = guessableProblem(password, [...passwordWords, username])
  if (problem !== undefined) return yield* failed(problem)
})

/** `createsuperuser`: creates a user with all permissions. With `--update` an existing user gets these and a new password. */
export default Command.make(
  "createsuperuser",
  {
    username: Flag.String("username").pipe(
      Flag.withDescription("Name of the user (default: admin)"),
      Flag.withDefault("admin")
    ),
    update: Flag.Boolean("update").pipe(
      Flag.withDescription("Give an existing user all permissions and a new password (default: refuse)"),
      Flag.withDefault(false)
    )
  },
  ({ username, update }) =>
    Effect.gen(function* () {
      yield* migrateAll
      const exists = yield* hasUser(username)
      if (exists && !update) {
        return yield* failed(
          `User ${username} exists already. With --update the user gets all permissions and a new password.`
        )
      }
      const { stdinIsTerminal } = yield* Stdio.Stdio
      const password = yield* (yield* stdinIsTerminal) ? askPassword : readPassword
      yield* refusePassword(password, username)
      yield* make(username, password, { by: "rackwire createsuperuser" })
      yield* Console.log(
        exists ? `User ${username} is a superuser with a new password.` : `Superuser ${username} created.`
      )
    }).pipe(ofService(database))
).pipe(
  Command.withDescription("Create a superuser; the password is prompted for, or read from the standard input."),
  entry({
    "createsuperuser [--username admin] [--update]":
      "Creates a user with all permissions; prompts for the password, or reads it from standard input. `--update` gives an existing user these rights and a new password."
  })
)

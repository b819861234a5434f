/** `serve`: runs the service, with some or all of its roles. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { type Role, roles, service } from "../Service.ts"
import { entry, untilStopped } from "./service/Entry.ts"

const parseRoles = (text: string): ReadonlyArray<Role> => {
  const names = text.split(",").map((name) => name.trim())
  if (!names.every((name) => roles.includes(name as Role))) throw new Error(`some of ${roles.join(",")}, not "${text}"`)
  return names as ReadonlyArray<Role>
}

/** Frees the objects that only the start needed, a third of the memory: V8 would keep them until the heap has grown. */
const collectGarbage = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  ;(runInNewContext("gc") as () => void)()
})

export default Command.make(
  "serve",
  {
    roles: Flag.String("roles").pipe(
      Flag.withDescription(`Roles of the process, separated by commas (default: ${roles.join(",")})`),
      Flag.withDefault(roles.join(",")),
      Flag.mapTryCatch(parseRoles, (error) => (error as Error).message)
    )
  },
  ({ roles }) =>
    untilStopped(Layer.launch(service(roles, (url) => Effect.andThen(collectGarbage, Console.log(`ready ${url}`)))))
).pipe(
  Command.withDescription("Run the service."),
  entry({
    "serve [--roles api,capture,deliver]": "Runs the service."
  })
)

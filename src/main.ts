/** The command line: what `rackwire` can do. How the stages make a service stands in Service.ts. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { version } from "./Config.ts"
import { type Role, roles, service } from "./Service.ts"

const parseRoles = (text: string): ReadonlyArray<Role> => {
  const names = text.split(",").map((name) => name.trim())
  const unknown = names.find((name) => !roles.includes(name as Role))
  if (unknown !== undefined) throw new Error(`${unknown} is no role; roles are ${roles.join(", ")}`)
  return names as ReadonlyArray<Role>
}

const serve = Command.make(
  "serve",
  {
    roles: Flag.String("roles").pipe(
      Flag.withDescription(`Comma-separated: ${roles.join(", ")}`),
      Flag.withDefault(roles.join(",")),
      Flag.mapTryCatch(parseRoles, (error) => (error as Error).message)
    )
  },
  ({ roles }) => Layer.launch(service(roles))
).pipe(Command.withDescription("Run the service."))

const rackwire = Command.make("rackwire").pipe(
  Command.withDescription("An infrastructure inventory whose webhooks can be relied on."),
  Command.withSubcommands([serve])
)

rackwire.pipe(
  Command.run({ version }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    // Being asked to stop is no failure.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)

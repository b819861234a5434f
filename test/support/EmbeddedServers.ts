/** Embedded servers for code outside test files, and for tests that stop them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Exit, Layer, Logger, Scope } from "effect"
import { Settings, reveal } from "../../src/Config.ts"
import { superuser } from "../../src/embedded/PostgresRoles.ts"
import { Environment } from "../../src/Environment.ts"
import { Servers } from "../../src/embedded/Servers.ts"

export interface RunningServers {
  readonly databaseUrl: string
  readonly superuserUrl: string
  readonly redisUrl: string
  readonly stop: () => Promise<void>
}

/** The address of the cluster for its superuser, whose password is stored in the data directory only. */
export const superuserUrlOf = (directory: string, databaseUrl: string): string => {
  const file = readFileSync(join(directory, "secrets.json"), "utf8")
  const { superuserPassword } = JSON.parse(file) as { readonly superuserPassword: string }
  return Object.assign(new URL(databaseUrl), { username: superuser, password: superuserPassword }).href
}

/** Starts the embedded servers of a data directory, by more options. This process restarts a server that dies. */
export const startServers = async (
  directory: string,
  options: Readonly<Record<string, string>> = {}
): Promise<RunningServers> => {
  const scope = Effect.runSync(Scope.make())
  const environment = Layer.succeed(Environment, { RACKWIRE_DATA_DIR: directory, ...options })
  const layer = Servers.layer.pipe(
    Layer.provide(Settings.layer),
    Layer.provide(environment),
    // Tests kill them on purpose.
    Layer.provide(Logger.layer([]))
  )
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const { databaseUrl, redisUrl } = Context.get(context, Servers)
  return {
    databaseUrl: reveal(databaseUrl),
    superuserUrl: superuserUrlOf(directory, reveal(databaseUrl)),
    redisUrl: reveal(redisUrl),
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

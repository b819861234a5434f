/** For commands that work on an existing service: in any other folder they end, instead of starting an empty one there. */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, type Layer } from "effect"
import { SqlError } from "effect/sql"
import { Settings } from "../../Config.ts"
import { CommandFailed } from "./Entry.ts"

/** SQLSTATE of a statement about a table that does not exist. */
const undefinedTable = "42P01"

/**
 * Provides the layer, which opens the service's servers, to the command. Fails with `CommandFailed` if neither the
 * options nor the data directory name these servers, or if the database was never migrated.
 */
export const ofService =
  <Provided, LayerError, LayerNeeds>(layer: Layer.Layer<Provided, LayerError, LayerNeeds>) =>
  <A, E, R>(command: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { databaseUrl, redisUrl, dataDirectory } = yield* Settings
      const isNamed = databaseUrl !== undefined && redisUrl !== undefined
      if (!isNamed && !existsSync(join(dataDirectory, "secrets.json"))) {
        const message = `There is no service in ${resolve(dataDirectory)}. Run the command in the folder of the service, or set RACKWIRE_DATA_DIR, or DATABASE_URL and REDIS_URL. "rackwire serve" starts a new service.`
        return yield* new CommandFailed({ message })
      }
      return yield* Effect.provide(command, layer)
    }).pipe(
      Effect.catchIf(
        isUnmigrated,
        () =>
          new CommandFailed({
            message: 'The database has no inventory yet: run "rackwire migrate" or start the service.'
          })
      ),
      Effect.provide(Settings.layer)
    )

const isUnmigrated = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason.cause as { readonly code?: unknown } | null)?.code === undefinedTable

/** Logs: what happens in the service, for people at a terminal and for machines that collect it. */
import { Effect, Layer, Logger, References } from "effect"
import { SqlError } from "effect/sql"
import { Settings } from "./Config.ts"

export const Telemetry = {
  layer: Layer.unwrap(
    Effect.map(Settings, ({ logLevel }) =>
      Layer.mergeAll(
        Logger.layer([process.stdout.isTTY ? Logger.consolePretty() : Logger.consoleLogFmt]),
        Layer.succeed(References.MinimumLogLevel, logLevel)
      )
    )
  )
}

/** An error in words for a log or a terminal; of Postgres' errors what the server said. */
export const inWords = (error: unknown): string => {
  if (!SqlError.isSqlError(error)) return error instanceof Error ? error.message : String(error)
  const { message, detail } = error.reason.cause as { readonly message?: string; readonly detail?: string }
  return [message ?? error.message, ...(detail === undefined ? [] : [`(${detail})`])].join(" ")
}

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

/** An error in words for a log or a terminal; of Postgres' errors what the server said, of empty ones their cause. */
export const inWords = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (!SqlError.isSqlError(error)) return error.message || (error.cause ? inWords(error.cause) : error.name)
  const { message, detail } = error.reason.cause as { readonly message?: string; readonly detail?: string }
  return [message ?? error.message, ...(detail === undefined ? [] : [`(${detail})`])].join(" ")
}

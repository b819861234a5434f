/** Logs: readable at a terminal, in logfmt or JSON for collectors. */
import { Effect, Layer, Logger, References } from "effect"
import { SqlError } from "effect/sql"
import { Settings } from "../Config.ts"

const loggers = { pretty: Logger.consolePretty(), logfmt: Logger.consoleLogFmt, json: Logger.consoleJson }

export const Telemetry = {
  layer: Layer.unwrap(
    Effect.map(Settings, ({ logLevel, logFormat = process.stdout.isTTY ? "pretty" : "logfmt" }) =>
      Layer.mergeAll(Logger.layer([loggers[logFormat]]), Layer.succeed(References.MinimumLogLevel, logLevel))
    )
  )
}

/**
 * The message of an error for a log or a terminal; for a Postgres error, the message of the server. If the message is
 * empty, as when no address of a name answers or a port is taken, it is that of the causes.
 */
export const inWords = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (SqlError.isSqlError(error)) {
    const { cause } = error.reason
    const { message, detail } = cause as { readonly message?: string; readonly detail?: string }
    const said = cause instanceof Error ? inWords(cause) : (message ?? error.message)
    return [said, ...(detail === undefined ? [] : [`(${detail})`])].join(" ")
  }
  const { code, address, port } = error as NodeJS.ErrnoException & { readonly address?: string; readonly port?: number }
  if (code === "EADDRINUSE") {
    return `Port ${port} of ${address} is in use, perhaps by another Rackwire. Choose another port, or 0 for a free one.`
  }
  if (error.message !== "") return error.message
  if (error instanceof AggregateError) return error.errors.map(inWords).join(", ")
  return error.cause === undefined ? error.name : inWords(error.cause)
}

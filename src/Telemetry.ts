/** Logs: what happens in the service, for people at a terminal and for machines that collect it. */
import { Effect, Layer, Logger, References } from "effect"
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

/** The statements that a read sends. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Tracer } from "effect"
import type { SqlClient } from "effect/sql"
import { Clearance } from "../../src/inventory/Clearance.ts"

/**
 * Runs the read for a user who may see everything, and returns the statements that it sent. A function gets how many were
 * sent so far.
 */
export const statementsOf = async <A, E>(
  databaseUrl: string,
  reading:
    | Effect.Effect<A, E, SqlClient.SqlClient | Clearance>
    | ((count: () => number) => Effect.Effect<A, E, SqlClient.SqlClient | Clearance>)
): Promise<ReadonlyArray<string>> => {
  const statements: Array<string> = []
  const counting = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (key, value) => {
        if (key === "db.query.text") statements.push(String(value))
        attribute(key, value)
      }
      return span
    }
  })
  const effect = Effect.isEffect(reading) ? reading : reading(() => statements.length)
  const layer = PgClient.layer({ url: Redacted.make(databaseUrl) })
  await Effect.runPromise(
    effect.pipe(Effect.provideService(Clearance, Clearance.all), Effect.provide(layer), Effect.withTracer(counting))
  )
  return statements
}

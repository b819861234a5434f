/**
 * Receives import files and has them read in a thread: parsing some megabytes of YAML takes seconds, and this thread may
 * also read the write-ahead log.
 */
import { ByteSize, Context, Duration, Effect, Layer } from "effect"
import { Settings } from "../../Config.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { Table } from "./ImportRows.ts"
import { type Parse, importThreads } from "./ImportThreads.ts"
import type { ImportTask } from "./ImportWorker.ts"
import { refuseAfter } from "../objects/Limits.ts"
import { parameterOf } from "../query/Parameter.ts"
import type { Request } from "../wire/Request.ts"

/** Largest file. */
const fileSizeMax = ByteSize.mebibytes(16)

/** Longest time for an upload: one that stalls would keep others from importing. */
const arrivalTime = Duration.minutes(2)

/** Longest time for parsing a file: YAML of 16 MiB takes half a minute on a busy machine. */
const parsingTime = Duration.minutes(3)

/** When a refused client should try again. */
const retrySeconds = 15

/** The imports that this process works on. */
export class Imports extends Context.Service<
  Imports,
  {
    /** Runs an import; fails with 503 if as many are under way as `IMPORTS_AT_ONCE` allows. */
    readonly admit: <A, E, R>(act: Effect.Effect<A, E, R>) => Effect.Effect<A, E | HttpRefused, R>
    readonly parse: Parse
  }
>()("rackwire/http/Imports") {
  static readonly layer = Layer.effect(
    Imports,
    Effect.gen(function* () {
      const { importsAtOnce } = yield* Settings
      let underWay = 0
      return Imports.of({
        parse: yield* importThreads,
        admit: (act) =>
          Effect.gen(function* () {
            if (underWay >= importsAtOnce) {
              const detail = `${underWay} imports are under way, as many as IMPORTS_AT_ONCE allows. Try again later.`
              const headers = { "retry-after": `${retrySeconds}` }
              return yield* new HttpRefused({ reason: "Busy", body: { detail }, headers })
            }
            underWay++
            return yield* Effect.ensuring(
              act,
              Effect.sync(() => underWay--)
            )
          })
      })
    })
  )
}

/** The format and rows of the file in the request's body. Fails with 400 or 413 if the file cannot be read. */
export const readFile = (request: Request, table: Table) =>
  Effect.gen(function* () {
    const { parse } = yield* Imports
    const bytes = yield* receive(request)
    return yield* refuseAfter(parsingTime, "Parsing the file did not end")(parse(taskOf(request, table, bytes)))
  })

/** The body of the request, when it has arrived. Fails with 413. */
export const receive = (request: Request) =>
  request.bytes(fileSizeMax).pipe(refuseAfter(arrivalTime, "The file did not arrive"))

const taskOf = ({ contentType, url }: Request, table: Table, bytes: ArrayBuffer): ImportTask => ({
  ...{ bytes, contentType, table },
  format: parameterOf(url.searchParams, "format")
})

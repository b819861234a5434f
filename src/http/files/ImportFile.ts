/**
 * Reads import files in a worker thread: parsing some megabytes of YAML takes seconds, and this thread may also read
 * the write-ahead log. The rows are returned as bytes, in portions small enough to be parsed here.
 */
import { extname } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { ByteSize, Context, Duration, Effect, Layer } from "effect"
import { Settings } from "../../Config.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { Format } from "./ImportFormat.ts"
import type { Portion, Table } from "./ImportRows.ts"
import type { ImportMessage, ImportTask } from "./ImportWorker.ts"
import { refuseAfter, tooLarge } from "../objects/Limits.ts"
import { parameterOf } from "../query/Parameter.ts"
import type { Request } from "../wire/Request.ts"

/** Largest file. */
const fileSizeMax = ByteSize.mebibytes(16)

/** Longest time for an upload: one that stalls would keep others from importing. */
const arrivalTime = Duration.minutes(2)

/** Longest time for parsing a file: YAML of 16 MiB takes half a minute on a busy machine. */
const parsingTime = Duration.minutes(3)

/** Memory limits of a worker: V8 terminates a worker that exceeds them, and the process continues. */
const workerMegabytes = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

/** How long to wait until a worker has ended: V8 sometimes fails to end one that ran out of memory. */
const endMillis = 2_000

/** When a refused client should try again. */
const retrySeconds = 15

/** The imports that this process works on. */
export class Imports extends Context.Service<
  Imports,
  {
    /** Runs an import; fails with 503 if as many are under way as `IMPORTS_AT_ONCE` allows. */
    readonly admit: <A, E, R>(act: Effect.Effect<A, E, R>) => Effect.Effect<A, E | HttpRefused, R>
  }
>()("rackwire/http/Imports") {
  static readonly layer = Layer.effect(
    Imports,
    Effect.gen(function* () {
      const { importsAtOnce } = yield* Settings
      let underWay = 0
      return Imports.of({
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

export interface ReadFile {
  readonly format: Format
  readonly portions: ReadonlyArray<Portion>
  /** Whether the rows are files of the device type library (library/LibraryRows.ts). */
  readonly isLibrary: boolean
}

/** The format and rows of the file in the request's body. Fails with 400 or 413 if the file cannot be read. */
export const readFile = (request: Request, table: Table) =>
  receive(request).pipe(
    Effect.flatMap((bytes) =>
      refuseAfter(parsingTime, "Parsing the file did not end")(parse(taskOf(request, table, bytes)))
    )
  )

/** The body of the request, when it has arrived. Fails with 413. */
export const receive = (request: Request) =>
  request.bytes(fileSizeMax).pipe(refuseAfter(arrivalTime, "The file did not arrive"))

const taskOf = ({ contentType, url }: Request, table: Table, bytes: ArrayBuffer): ImportTask => ({
  ...{ bytes, contentType, table },
  format: parameterOf(url.searchParams, "format")
})

const parse = (task: ImportTask): Effect.Effect<ReadFile, HttpRefused> =>
  Effect.callback((resume) => {
    const worker = new Worker(new URL(`./ImportWorker${extname(import.meta.url)}`, import.meta.url), {
      workerData: task,
      transferList: [task.bytes],
      resourceLimits: workerMegabytes
    })
    let format: Format | undefined
    let isLibrary = false
    const portions: Array<Portion> = []
    worker.on("message", (message: ImportMessage) => {
      if ("format" in message) [format, isLibrary] = [message.format, message.isLibrary]
      else if ("portion" in message) portions.push(message.portion)
      else if ("isDone" in message) resume(Effect.succeed({ format: format!, portions, isLibrary }))
      else {
        const { refused: detail, isTooLarge, line } = message
        const reason = isTooLarge ? "TooLarge" : "InvalidBody"
        resume(
          new HttpRefused({ reason, body: { detail, ...(!isTooLarge && { format }), ...(isLibrary && { line }) } })
        )
      }
    })
    worker.on("error", (error) => {
      const isMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
      const limit = `${workerMegabytes.maxOldGenerationSizeMb} MB of memory`
      resume(isMemory ? tooLarge(`Parsing the file takes more than ${limit}. Send it in parts.`) : Effect.die(error))
    })
    worker.on("exit", () => resume(Effect.die(new Error("the worker ended before the file was read"))))
    return Effect.promise(() => Promise.race([worker.terminate(), setTimeout(endMillis, undefined, { ref: false })]))
  })

/**
 * Threads that parse import files, one file at a time. Starting one takes 0.2 s of CPU, most of it for modules, so a thread
 * that read a small file waits for another one. The rows are returned as bytes, in portions small enough to be parsed here.
 */
import { extname } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { Effect, Exit, type Scope } from "effect"
import { HttpRefused } from "../HttpRefused.ts"
import { tooLarge } from "../objects/Limits.ts"
import type { Format } from "./ImportFormat.ts"
import type { Portion } from "./ImportRows.ts"
import type { ImportMessage, ImportTask } from "./ImportWorker.ts"

export interface ReadFile {
  readonly format: Format
  readonly portions: ReadonlyArray<Portion>
  /** Whether the rows are files of the device type library (library/LibraryRows.ts). */
  readonly isLibrary: boolean
}

/** Memory limits of a thread: V8 terminates a thread that exceeds them, and the process continues. */
const megabytes = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

/** How long to wait until a thread has ended: V8 sometimes fails to end one that ran out of memory. */
const endMillis = 2_000

/** Bytes of the largest file after which a thread is kept: the thread may use many times as many until it ends. */
const keptBytesMax = 1 << 20

/** How long a thread waits for another file. */
const keptMillis = 10_000

/** Parses a file. Fails with 400 or 413 if it cannot be read; the thread ends when this is interrupted. */
export type Parse = (task: ImportTask) => Effect.Effect<ReadFile, HttpRefused>

/** Threads that end with the scope. At most one of them waits. */
export const importThreads: Effect.Effect<Parse, never, Scope.Scope> = Effect.gen(function* () {
  let waiting: { readonly thread: Worker; readonly timer: NodeJS.Timeout } | undefined
  const take = (): Worker | undefined => {
    const taken = waiting
    waiting = undefined
    clearTimeout(taken?.timer)
    return taken?.thread
  }
  const keep = (thread: Worker): void => {
    thread.unref()
    const timer = globalThis.setTimeout(() => void take()?.terminate(), keptMillis)
    timer.unref()
    waiting = { thread, timer }
    thread.on("exit", () => {
      if (waiting?.thread === thread) take()
    })
  }
  yield* Effect.addFinalizer(() => Effect.promise(async () => take()?.terminate()))
  return (task) =>
    Effect.suspend(() => {
      const thread = take() ?? startThread()
      const isSmall = task.bytes.byteLength <= keptBytesMax
      return Effect.onExit(read(thread, task), (exit) =>
        Exit.isSuccess(exit) && isSmall && waiting === undefined ? Effect.sync(() => keep(thread)) : end(thread)
      )
    })
})

const startThread = (): Worker =>
  new Worker(new URL(`./ImportWorker${extname(import.meta.url)}`, import.meta.url), { resourceLimits: megabytes })

const end = (thread: Worker) =>
  Effect.promise(() => Promise.race([thread.terminate(), setTimeout(endMillis, undefined, { ref: false })]))

const read = (thread: Worker, task: ImportTask): Effect.Effect<ReadFile, HttpRefused> =>
  Effect.callback((resume) => {
    let format: Format | undefined
    let isLibrary = false
    const portions: Array<Portion> = []
    thread.removeAllListeners()
    thread.on("message", (message: ImportMessage) => {
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
    thread.on("error", (error) => {
      const isMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
      const limit = `${megabytes.maxOldGenerationSizeMb} MB of memory`
      resume(isMemory ? tooLarge(`Parsing the file takes more than ${limit}. Send it in parts.`) : Effect.die(error))
    })
    thread.on("exit", () => resume(Effect.die(new Error("the thread ended before the file was read"))))
    thread.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    thread.postMessage(task, [task.bytes])
  })

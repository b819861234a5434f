/**
 * A test that blocks the event loop of its worker never times out: the timer that would end it runs on the same loop.
 * A thread ends the worker instead, and names the file. The run then fails, and goes on without it.
 */
import { SHARE_ENV, Worker } from "node:worker_threads"

/** Seconds. A program that a test waits for may take long beside other work. */
const blockedMax = 180

/** How the thread learns the file, and that the loop turns. */
const fileName = "RACKWIRE_TEST_FILE"

const name = Symbol.for("rackwire.test.watchdog")

const thread = `
  const { writeSync } = require("node:fs")
  const { workerData: { turns, blockedMax, fileName } } = require("node:worker_threads")
  let seen = [0, performance.now()]
  setInterval(() => {
    const now = Atomics.load(turns, 0)
    if (now !== seen[0]) seen = [now, performance.now()]
    else if (performance.now() - seen[1] > blockedMax * 1000) {
      writeSync(2, process.env[fileName] + " blocks its event loop for " + blockedMax + " s: its worker is killed\\n")
      process.kill(process.pid, "SIGKILL")
    }
  }, 1000)
`

const start = (): true => {
  const turns = new Int32Array(new SharedArrayBuffer(4))
  new Worker(thread, { eval: true, env: SHARE_ENV, workerData: { turns, blockedMax, fileName } }).unref()
  setInterval(() => Atomics.add(turns, 0, 1), 1000).unref()
  return true
}

/** Watches the worker, which runs many files, from its first file on. */
export const watch = (file: string): void => {
  process.env[fileName] = file
  ;(globalThis as Record<symbol, unknown>)[name] ??= start()
}

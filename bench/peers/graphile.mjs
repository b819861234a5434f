/**
 * The same job with graphile-worker, whose queue is a table of Postgres: a worker that signs and posts.
 *
 * `node graphile.mjs <database url> <receiver url> <secret> <concurrency> [queued]`. With `queued` its parent sends
 * `{queue: [bodies]}`, then `go`; without it the worker takes what triggers queue.
 */
import { Logger, run, runMigrations, makeWorkerUtils } from "graphile-worker"
import { post } from "./post.mjs"

const [, , connectionString, receiverUrl, secret, concurrency, mode] = process.argv
const send = post(receiverUrl, secret, Number(concurrency))

const taskList = {
  deliver: async ({ body }) => {
    const { status } = await send(body)
    if (status >= 300) throw new Error(`answered ${status}`)
  }
}

// As its own documentation sets it up for throughput.
const preset = {
  worker: { concurrentJobs: Number(concurrency), localQueue: { size: 500 }, completeJobBatchDelay: 0, maxPoolSize: 10 }
}
// By default it prints a line for each job.
const logger = new Logger(() => () => {})
const options = { connectionString, taskList, preset, noHandleSignals: true, logger }
await runMigrations({ connectionString, logger })
const utils = await makeWorkerUtils({ connectionString, logger })

let runner = mode === "queued" ? undefined : await run(options)
process.on("message", async (message) => {
  if (message === "go") {
    runner = await run(options)
    return
  }
  await runner?.stop()
  const specs = message.queue.map((body) => ({ identifier: "deliver", payload: { body }, maxAttempts: 8 }))
  for (let from = 0; from < specs.length; from += 1000) await utils.addJobs(specs.slice(from, from + 1000))
  process.send("queued")
})
process.on("disconnect", () => process.exit())
process.send("ready")

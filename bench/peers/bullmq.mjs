/**
 * The same job with BullMQ: a worker that signs and posts, in a process of its own.
 *
 * `node bullmq.mjs <redis url> <receiver url> <secret> <concurrency> [<database url>]`; its parent sends
 * `{queue: [bodies]}`, then `go`. With a database every delivery is logged in it before its job is completed.
 */
import { Queue, Worker } from "bullmq"
import { logTo } from "./log.mjs"
import { post } from "./post.mjs"

const [, , redisUrl, receiverUrl, secret, concurrency, databaseUrl] = process.argv
const { hostname, port, password } = new URL(redisUrl)
const connection = {
  host: hostname,
  port: Number(port),
  password: decodeURIComponent(password),
  maxRetriesPerRequest: null
}
const send = post(receiverUrl, secret, Number(concurrency))
const log = databaseUrl === undefined ? undefined : await logTo(databaseUrl, Number(concurrency))
const name = log === undefined ? "deliveries" : "logged"
const queue = new Queue(name, { connection })

const worker = new Worker(
  name,
  async ({ id, data, attemptsMade }) => {
    const answer = await send(data.body)
    if (log !== undefined) await log({ id, attempt: attemptsMade + 1, ...answer })
    if (answer.status >= 300) throw new Error(`answered ${answer.status}`)
  },
  { connection, concurrency: Number(concurrency), autorun: false, removeOnComplete: { count: 0 } }
)
worker.on("error", () => {})
void worker.pause().then(() => worker.run())

process.on("message", async (message) => {
  if (message === "go") {
    worker.resume()
    return
  }
  await worker.pause()
  const jobs = message.queue.map((body) => ({ name: "deliver", data: { body }, opts: { attempts: 8 } }))
  for (let from = 0; from < jobs.length; from += 1000) await queue.addBulk(jobs.slice(from, from + 1000))
  process.send("queued")
})
process.on("disconnect", () => process.exit())
process.send("ready")

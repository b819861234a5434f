/**
 * The same job with BullMQ: a worker that signs and posts, in a process of its own.
 *
 * `node bullmq.mjs <redis url> <receiver url> <secret> <concurrency>`; its parent sends `{queue: [bodies]}`, then `go`.
 */
import { createHmac } from "node:crypto"
import { Queue, Worker } from "bullmq"
import { Agent, request } from "undici"

const [, , redisUrl, receiverUrl, secret, concurrency] = process.argv
const { hostname, port, password } = new URL(redisUrl)
const connection = {
  host: hostname,
  port: Number(port),
  password: decodeURIComponent(password),
  maxRetriesPerRequest: null
}
const agent = new Agent({ connections: Number(concurrency) })
const queue = new Queue("deliveries", { connection })

const worker = new Worker(
  "deliveries",
  async ({ data }) => {
    const body = Buffer.from(data.body)
    const headers = {
      "content-type": "application/json",
      "x-hook-signature": createHmac("sha512", secret).update(body).digest("hex")
    }
    const answer = await request(receiverUrl, { method: "POST", body, headers, dispatcher: agent })
    await answer.body.dump()
    if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}`)
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

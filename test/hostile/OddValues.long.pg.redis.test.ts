/** A transaction of many long rows, captured by a service as a process, because its memory is measured. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { longRows } from "./LongRows.ts"

let api: Api<ServiceProcess>
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApiProcess()
  await api.call("POST", "/api/extras/webhooks/", {
    name: "all",
    content_types: ["dcim.region"],
    type_create: true,
    payload_url: receiver.url
  })
  await passed("first")
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

/** Waits until an event of a new region has arrived, so that all before it were read. */
const passed = async (name: string): Promise<void> => {
  await api.database.sql.query(`insert into dcim_region (name, slug) values ('${name}', '${name}')`)
  await receiver.until(({ body }) => body.includes(`"${name}"`), name)
}

describe("capture goes on after", () => {
  it("a transaction of many long rows, in constant memory", async () => {
    /** The most that the process has used, MB. */
    const memory = () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${api.service.process.pid}/status`, "utf8"))![1]) / 1024
    const before = memory()
    await api.database.sql.query(longRows(60, 4_000_000))
    await passed("behind")
    expect(memory() - before).toBeLessThan(400)
  })
})

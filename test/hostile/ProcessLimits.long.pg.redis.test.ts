/**
 * Receivers that never answer and clients that never ask: they hold what the process gives them, and others get theirs.
 * The process may open few descriptors, so that the limits are met soon.
 */
import { readFileSync, readdirSync } from "node:fs"
import { type Server, type Socket, connect, createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectionLimits } from "../../src/limit/ProcessLimits.ts"
import { type Api, startApiProcess } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

const script = fileURLToPath(new URL("../support/serveWithDescriptors.mjs", import.meta.url))

const descriptors = 768
const limits = connectionLimits(descriptors)

let api: Api<ServiceProcess>
let receiver: Receiver
const silent: Array<Silent> = []

/** A receiver that takes every connection, reads nothing, and never answers. */
interface Silent {
  readonly server: Server
  readonly open: Set<Socket>
  most: number
}

const startSilent = async (): Promise<Silent> => {
  const open = new Set<Socket>()
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    open.add(socket)
    found.most = Math.max(found.most, open.size)
    socket.on("close", () => open.delete(socket)).on("error", () => {})
  })
  const found: Silent = { server, open, most: 0 }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  silent.push(found)
  return found
}

const urlOf = ({ server }: Silent) => `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/`

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApiProcess({ DESCRIPTORS: `${descriptors}` }, { script })
  // The bystander renders a body too.
  const body_template = "{{ data.name }}"
  await api.make("extras/webhooks", {
    ...hook("bystander", "extras.tag"),
    payload_url: receiver.url,
    body_template
  })
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
  for (const each of silent) {
    for (const socket of each.open) socket.destroy()
    each.server.close()
  }
})

const hook = (name: string, type: string) => ({ name, content_types: [type], type_create: true })

interface InUse {
  readonly [name: string]: number
}

const inUse = async (): Promise<InUse> =>
  (await api.call<{ readonly limits: InUse }>("GET", "/health/ready")).json.limits

/** Objects of which every webhook of the type has to tell. */
const makeMany = (collection: string, prefix: string, count: number) =>
  api.makeAll(
    collection,
    Array.from({ length: count }, (_, at) => named(`${prefix} ${at}`))
  )

const bystanderHears = async (name: string) => {
  await api.make("extras/tags", named(name))
  await receiver.until(({ body }) => body.toString() === name, name)
}

const openDescriptors = () => readdirSync(`/proc/${api.service.process.pid}/fd`).length

const residentMegabytes = () =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${api.service.process.pid}/status`, "utf8"))?.[1]) / 1024

describe("receivers that never answer", () => {
  it("hold the requests that the process has for them, and others are sent to", async () => {
    const silent = await startSilent()
    const slow = { payload_url: urlOf(silent), max_in_flight: 1000, timeout: 300 }
    const hooks = Array.from({ length: 21 }, (_, at) => ({ ...hook(`silent ${at}`, "dcim.site"), ...slow }))
    await api.makeAll("extras/webhooks", hooks)
    await makeMany("dcim/sites", "Site", 100)
    await eventually("nearly all requests are taken", () => silent.open.size > limits.requests * 0.8)
    await bystanderHears("beside silent receivers")
    expect(silent.most).toBeLessThanOrEqual(limits.requests)
    expect(openDescriptors()).toBeLessThan(descriptors)
    const { requests, requestsMax, webhooksWaiting } = await inUse()
    expect(requestsMax).toBe(limits.requests)
    expect(requests).toBeLessThanOrEqual(limits.requests)
    expect(webhooksWaiting).toBeGreaterThan(0)
    expect(api.service.output()).not.toMatch(/EMFILE|ENFILE/)
    const all = "/api/extras/webhooks/?name__isw=silent&limit=100"
    const { results } = (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", all)).json
    expect(results).toHaveLength(hooks.length)
    await api.call(
      "DELETE",
      "/api/extras/webhooks/",
      results.map(({ id }) => ({ id }))
    )
    for (const socket of silent.open) socket.destroy()
    await eventually("the requests have ended", async () => (await inUse())["requests"] === 0)
  })

  it("hold a bounded number of rendered bodies, and others are rendered", async () => {
    const silent = await startSilent()
    const large = { body_template: '{{ "x" * 1000000 }}', max_in_flight: 1000, timeout: 300 }
    await api.make("extras/webhooks", { ...hook("large", "dcim.region"), ...large, payload_url: urlOf(silent) })
    await makeMany("dcim/regions", "Region", 200)
    await eventually("its share is taken", () => silent.open.size >= 20)
    await bystanderHears("beside large bodies")
    // One webhook alone has 38 % of the room, and its bodies have a little less than a MiB.
    expect(silent.most).toBeLessThanOrEqual(27)
    const { bodyBytes, bodyBytesMax } = await inUse()
    expect(bodyBytesMax).toBe(64 << 20)
    expect(bodyBytes).toBeLessThanOrEqual((64 << 20) / 2)
    expect(residentMegabytes()).toBeLessThan(700)
  })
})

describe("clients that never ask", () => {
  it("have their share of the connections, others are answered, and time ends them", async () => {
    const { hostname, port } = new URL(api.service.url)
    const ended = { count: 0 }
    const sockets = Array.from({ length: 2 * limits.incoming }, () =>
      connect({ host: hostname, port: Number(port), localAddress: "127.0.0.2" })
        .on("close", () => (ended.count += 1))
        .on("error", () => {})
        .resume()
    )
    await eventually("those beyond the share are ended", () => ended.count > 1.5 * limits.incoming)
    const { clientConnections, clientConnectionsMax } = await inUse()
    expect(clientConnectionsMax).toBe(limits.incoming)
    expect(clientConnections).toBeLessThanOrEqual(limits.incoming / 2)
    await bystanderHears("beside silent clients")
    expect(openDescriptors()).toBeLessThan(descriptors)
    await eventually("no request came in time", () => ended.count === sockets.length)
  })
})

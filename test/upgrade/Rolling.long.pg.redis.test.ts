/**
 * Six processes, two of each role, restarted one after the other as a rolling upgrade does, while 300 rows change a
 * second: nothing is lost, what repeats was under way at a stop, and no request fails.
 *
 * The processes run this version before and after. With `RACKWIRE_BEFORE=…/bin/rackwire.mjs` they begin with another
 * version: it cannot be part of the test, so somebody has to run it before a release.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Role } from "../../src/Service.ts"
import { environmentOf } from "../support/Api.ts"
import { named, provision, request } from "../support/Client.ts"
import { runProcess } from "../support/Command.ts"
import { type TestDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { eventually } from "../support/Eventually.ts"

const program = fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url))
const programBefore = process.env["RACKWIRE_BEFORE"] ?? program

const sites = 60
/** Rows that one transaction changes, and transactions a second. */
const rowsAtOnce = 30
const perSecond = 10

/** How long processes answer when they were told to stop. */
const shutdownDelay = "1 second"

/** How long the receiver takes, milliseconds: some requests are under way at every stop. */
const answerMillis = 20

/** Most requests of a webhook that one process has under way. */
const inFlightMax = 10

const orderings = ["none", "object"]

const roles: ReadonlyArray<ReadonlyArray<Role>> = [
  ["api"],
  ["api"],
  ["api", "capture"],
  ["api", "capture"],
  ["api", "deliver"],
  ["api", "deliver"]
]
const delivering = roles.filter((own) => own.includes("deliver")).length

interface Arrival {
  readonly path: string
  readonly site: string
  /** How often the site had been changed. */
  readonly version: number
}

interface Event {
  readonly data: { readonly name: string; readonly facility: string }
}

/** A receiver that takes its time. */
class SlowReceiver {
  /** By delivery: the first arrival of each. */
  readonly arrivals = new Map<string, Arrival>()
  /** Arrivals of deliveries that had arrived before. */
  repeats = 0
  private readonly server = createServer(async (request, response) => {
    const delivery = String(request.headers["x-hook-delivery"])
    const { data } = JSON.parse(await text(request)) as Event
    if (this.arrivals.has(delivery)) this.repeats += 1
    else this.arrivals.set(delivery, { path: request.url!, site: data.name, version: Number(data.facility) })
    await pause(answerMillis)
    response.end()
  })

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

let database: TestDatabase
let receiver: SlowReceiver
let services: Array<ServiceProcess> = []
let token: string

/** Six processes may open 120 of the 197 connections of the server. */
const connectionsMax = "20"

const start = (own: ReadonlyArray<Role>, script: string) =>
  startProcess(
    { ...environmentOf(database), SHUTDOWN_DELAY: shutdownDelay, DATABASE_CONNECTIONS: connectionsMax },
    { roles: own, script }
  )

beforeAll(async () => {
  database = await makeEmptyDatabase()
  receiver = new SlowReceiver()
  const url = await receiver.start()
  services = await Promise.all(roles.map((own) => start(own, programBefore)))
  token = await provision(services[0]!.url)
  await database.sql.query(
    "insert into dcim_site (name, slug) select n, n from (select 'site-' || generate_series(1, $1::int)) u (n)",
    [sites]
  )
  for (const ordering of orderings) {
    const { status, text } = await services[0]!.call("POST", "/api/extras/webhooks/", {
      ...{ name: ordering, content_types: ["dcim.site"], type_update: true },
      ...{ payload_url: `${url}/${ordering}`, ordering, max_in_flight: inFlightMax }
    })
    if (status !== 201) throw new Error(text)
  }
})

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop("SIGKILL")))
  receiver.stop()
  await database.drop()
})

const readiness = (url: string) =>
  fetch(`${url}/health/ready`).then(
    ({ status }) => status,
    () => 0
  )

/** Services that a load balancer would send requests to. */
const healthy = new Set<string>()

const probe = async (isOver: () => boolean) => {
  while (!isOver()) {
    for (const { url } of services) {
      if ((await readiness(url)) === 200) healthy.add(url)
      else healthy.delete(url)
    }
    await pause(100)
  }
}

/** Asks one healthy process after the other; returns how many requests there were, and the answers that were none. */
const ask = async (isOver: () => boolean) => {
  const wrong: Array<string> = []
  let count = 0
  for (; !isOver(); count++) {
    const urls = [...healthy]
    const url = urls[count % urls.length]!
    const name = `tag ${count}`
    await request(url, token, "POST", "/api/extras/tags/", named(name)).then(
      ({ status, text }) => void (status === 201 || wrong.push(`${url} ${name}: ${status} ${text}`)),
      (error: Error) => wrong.push(`${url} ${name}: ${error.message} ${String(error.cause)}`)
    )
    await pause(30)
  }
  return { count, wrong }
}

/** Changes sites until it is told to stop; returns how often each was changed. */
const write = async (isOver: () => boolean) => {
  const began = performance.now()
  let rounds = 0
  for (; !isOver() || rounds % (sites / rowsAtOnce) > 0; rounds++) {
    await database.sql.query(
      "update dcim_site set facility = (coalesce(nullif(facility, ''), '0')::int + 1)::text where id % $1::int = $2::int",
      [sites / rowsAtOnce, rounds % (sites / rowsAtOnce)]
    )
    await pause(Math.max(0, began + ((rounds + 1) * 1000) / perSecond - performance.now()))
  }
  return { rounds, seconds: (performance.now() - began) / 1000 }
}

it(
  "a rolling restart loses nothing, repeats at most what was under way, and refuses no request",
  { timeout: 600_000 },
  async () => {
    let isOver = false
    const over = () => isOver
    const probing = probe(over)
    await eventually("all are healthy", () => healthy.size === roles.length)
    const writing = write(over)
    const asking = ask(over)
    for (const [at, own] of roles.entries()) {
      const old = services[at]!
      const stopping = old.stop()
      // It says so first, and answers on.
      if (programBefore === program) await eventually("it is not ready", async () => (await readiness(old.url)) === 503)
      await stopping
      expect([own, old.process.exitCode, old.process.signalCode]).toEqual([own, 0, null])
      services[at] = await start(own, program)
      await eventually("it is healthy", () => healthy.has(services[at]!.url))
      const { output } = await runProcess(["check"], { env: environmentOf(database) })
      expect(output).toMatch(/All \d+ checks are well/)
    }
    isOver = true
    await probing
    const { rounds, seconds } = await writing
    const { count, wrong } = await asking
    const changes = rounds * rowsAtOnce
    const { arrivals } = receiver
    await expect.poll(() => arrivals.size, { interval: 200 }).toBe(orderings.length * changes)
    expect(receiver.repeats).toBeLessThanOrEqual(delivering * orderings.length * inFlightMax)
    const versions = Array.from({ length: changes / sites }, (_, n) => n + 1)
    for (const path of ["/none", "/object"]) {
      const bySite = Map.groupBy(
        [...arrivals.values()].filter((arrival) => arrival.path === path),
        ({ site }) => site
      )
      expect(bySite.size).toBe(sites)
      for (const each of bySite.values()) {
        const found = each.map(({ version }) => version)
        expect(path === "/object" ? found : found.toSorted((a, b) => a - b)).toEqual(versions)
      }
    }
    expect(wrong).toEqual([])
    console.log(`${changes} changes in ${seconds.toFixed(1)} s, ${count} requests, ${receiver.repeats} repeats`)
  }
)

/**
 * Requests to the API: one process with its 8 clients, on 100,000 sites in 2,500 regions.
 *
 * The floor is a hand-written `node:http` handler (peers/api.mjs) that runs the same SQL through `pg` and answers the
 * same bytes, with no authentication, permissions or validation. It checks nothing and counts nothing. CPU is that of
 * the process that answers, without Postgres.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Pool } from "undici"
import { objectType } from "../../src/inventory/Registry.ts"
import { pageQuery } from "../../src/inventory/read/Read.ts"
import { withInitials } from "../../src/inventory/derive/values/Draft.ts"
import { insertStatement } from "../../src/inventory/derive/values/InsertStatement.ts"
import { columnsOf } from "../../src/inventory/derive/values/Row.ts"
import { type Where, allVisible, everything } from "../../src/inventory/derive/filter/Where.ts"
import { filter } from "../../src/inventory/derive/filter/Filter.ts"
import { readStatement } from "../../src/inventory/derive/represent/ReadStatement.ts"
import { type Call, answered, fillSites, newToken, path, place } from "../Inventory.ts"
import { installPeers } from "../Peers.ts"
import { startRackwire } from "../Rackwire.ts"
import type { Contender, Figure, Sample, Suite } from "../Suite.ts"
import { type Usage, usageOf } from "../Usage.ts"

const clients = 8
const sites = 100_000
const regions = 2500
const bulk = 100

const siteType = objectType("dcim.site")

interface Job {
  readonly name: string
  readonly requests: number
  readonly call: (n: number, round: string) => Call
}

const made = (slug: string) => ({ name: slug, slug, description: "a site that a benchmark made" })

const jobs: ReadonlyArray<Job> = [
  { name: "detail", requests: 8000, call: (n) => ({ method: "GET", path: `${path}${place(n, sites)}/` }) },
  { name: "list of 50", requests: 1500, call: () => ({ method: "GET", path }) },
  {
    name: "filtered list",
    requests: 1500,
    call: (n) => ({ method: "GET", path: `${path}?region_id=${place(n, regions)}` })
  },
  { name: "POST", requests: 2000, call: (n, round) => ({ method: "POST", path, body: made(`${round}-${n}`) }) },
  {
    name: `POST of ${bulk}`,
    requests: 100,
    call: (n, round) => ({
      method: "POST",
      path,
      body: Array.from({ length: bulk }, (_, at) => made(`${round}-bulk-${n}-${at}`))
    })
  }
]

const figures: ReadonlyArray<Figure> = jobs.flatMap(({ name }) => [
  { name: `${name}: rate`, unit: "requests/s", more: true },
  { name: `${name}: CPU`, unit: "µs a request", more: false }
])

const run = async (pool: Pool, job: Job, token: string, round: string, usage: () => Usage): Promise<Sample> => {
  let next = 0
  const before = usage().cpuSeconds
  const began = performance.now()
  const client = async () => {
    for (let n = next++; n < job.requests; n = next++) await answered(pool, job.call(n, round), token)
  }
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - began) / 1000
  return {
    [`${job.name}: rate`]: job.requests / seconds,
    [`${job.name}: CPU`]: ((usage().cpuSeconds - before) * 1e6) / job.requests
  }
}

const contender = (role: Contender["role"], name: string, url: string, pid: () => number, token: string): Contender => {
  const pool = new Pool(url, { connections: clients })
  const usage = () => usageOf(pid())
  return {
    name,
    role,
    usage,
    turn: async (round) => {
      const samples: Array<Sample> = []
      for (const job of jobs) samples.push(await run(pool, job, token, `${role}-${round}`, usage))
      return Object.assign({}, ...samples) as Sample
    }
  }
}

/** The statements that our service runs, for the floor to run. */
const statements = () => {
  const read = (sql: string, parameters: ReadonlyArray<unknown>) =>
    readStatement(siteType, { sql, parameters }, () => everything).sql
  const page = (where: Where) =>
    read(pageQuery(siteType, { where, ordering: [], limit: 50, offset: 0 }, everything).sql, where.parameters)
  const filtered = filter(siteType, [["region_id", "1"]], allVisible)
  if ("errors" in filtered) throw new Error("no filter by region")
  return {
    detail: read(`select t.* from ${siteType.table} t where t.id = $1::bigint`, [1]),
    list: page(everything),
    filtered: page(filtered.where),
    insert: insertStatement(siteType),
    initial: columnsOf(siteType, withInitials(siteType, { name: "", slug: "" })),
    count: sites
  }
}

const startFloor = async (databaseUrl: string): Promise<{ readonly process: ChildProcess; readonly url: string }> => {
  installPeers()
  const program = fileURLToPath(new URL("../peers/api.mjs", import.meta.url))
  const child = fork(program, [databaseUrl])
  child.send(statements())
  const [port] = (await once(child, "message")) as [number]
  return { process: child, url: `http://127.0.0.1:${port}` }
}

/** Both must answer alike, or they do not do the same job. */
const compare = async (one: string, other: string, token: string): Promise<void> => {
  for (const job of jobs.slice(0, 3)) {
    const [ours, theirs] = await Promise.all(
      [one, other].map(async (url) => {
        const pool = new Pool(url, { connections: 1 })
        const text = await answered(pool, job.call(5, ""), token)
        await pool.close()
        return text.replaceAll(url, "")
      })
    )
    if (ours !== theirs) throw new Error(`${job.name}: the floor answers something else\n${ours}\n${theirs}`)
  }
}

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire({}, { roles: ["api"] })
  await fillSites(rackwire.sql, sites, regions)
  const token = await newToken(rackwire.service)
  const floor = await startFloor(rackwire.databaseUrl)
  await compare(rackwire.service.url, floor.url, token)
  return {
    title: `Requests to the API: ${clients} clients, one process, ${sites} sites`,
    figures,
    rounds: 5,
    contenders: [
      contender("floor", "node:http and pg, by hand", floor.url, () => floor.process.pid!, token),
      contender("ours", "rackwire", rackwire.service.url, rackwire.pid, token)
    ],
    close: async () => {
      floor.process.disconnect()
      await rackwire.close()
    }
  }
}

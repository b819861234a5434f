/**
 * A million sites compared with ten thousand: the slowest requests for one site and for those of a region, and the
 * memory that they need. Each region has 40 sites in both.
 */
import { Pool } from "undici"
import { answered, fillSites, newToken, path, place } from "../Inventory.ts"
import { type Rackwire, startRackwire } from "../Rackwire.ts"
import { type Contender, type Figure, type Suite, quantile } from "../Suite.ts"
import { usageOf } from "../Usage.ts"

const few = 10_000
const many = 1_000_000
const sitesPerRegion = 40

/** Requests of each kind a round, one after the other, so that nothing waits for anything else of ours. */
const requests = 3000

/** Lists read to their end through the cursor in a round, to see whether memory grows: pages of a thousand. */
const pages = 30

const kinds = {
  detail: (n: number, sites: number) => `${path}${place(n, sites)}/`,
  "filtered list": (n: number, sites: number) => `${path}?region_id=${place(n, sites / sitesPerRegion)}`
}

const figures: ReadonlyArray<Figure> = [
  ...Object.keys(kinds).flatMap((kind) =>
    [["median", 0.5] as const, ["99th percentile", 0.99] as const].map(([name]) => ({
      name: `${kind}: ${name}`,
      unit: "ms",
      more: false
    }))
  ),
  { name: `memory after ${pages} pages of 1000`, unit: "MB at its peak", more: false }
]

const contender = (rackwire: Rackwire, sites: number, role: Contender["role"], token: string): Contender => {
  const pool = new Pool(rackwire.service.url, { connections: 1 })
  const timed = async (kind: keyof typeof kinds, round: number): Promise<Readonly<Record<string, number>>> => {
    const millis: Array<number> = []
    for (let n = 0; n < requests; n++) {
      const began = performance.now()
      await answered(pool, { method: "GET", path: kinds[kind](round * requests + n, sites) }, token)
      millis.push(performance.now() - began)
    }
    return { [`${kind}: median`]: quantile(millis, 0.5), [`${kind}: 99th percentile`]: quantile(millis, 0.99) }
  }
  return {
    name: `${sites.toLocaleString("en")} sites`,
    role,
    usage: () => usageOf(rackwire.pid()),
    turn: async (round) => {
      const detail = await timed("detail", round)
      const filtered = await timed("filtered list", round)
      for (let n = 0; n < pages; n++) {
        const start = (n * 1000) % sites
        await answered(pool, { method: "GET", path: `${path}?start=${start}&limit=1000` }, token)
      }
      const [memory] = figures.slice(-1)
      return { ...detail, ...filtered, [memory!.name]: usageOf(rackwire.pid()).peakMegabytes }
    }
  }
}

export default async (): Promise<Suite> => {
  const start = async (sites: number) => {
    const rackwire = await startRackwire({}, { roles: ["api"] })
    await fillSites(rackwire.sql, sites, sites / sitesPerRegion)
    return { rackwire, token: await newToken(rackwire.service) }
  }
  const small = await start(few)
  const large = await start(many)
  return {
    title: `One request at a time on ${few.toLocaleString("en")} and on ${many.toLocaleString("en")} sites`,
    figures,
    rounds: 3,
    contenders: [
      contender(small.rackwire, few, "floor", small.token),
      contender(large.rackwire, many, "ours", large.token)
    ],
    close: async () => {
      await small.rackwire.close()
      await large.rackwire.close()
    }
  }
}

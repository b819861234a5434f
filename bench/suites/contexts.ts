/**
 * Pages of 50 devices with their config contexts: 10,000 devices, 200 contexts of 400 bytes by role, site, region, tag or
 * for all, of which some twenty apply to each.
 *
 * The floor is the same page with `exclude=config_context`, so the ratio is the price of the contexts: a goal is at most
 * twice the time (0.50 of the floor).
 */
import { Pool } from "undici"
import { type Call, answered, newToken } from "../Inventory.ts"
import { startRackwire } from "../Rackwire.ts"
import type { Contender, Figure, Suite } from "../Suite.ts"
import { median } from "../Suite.ts"
import { usageOf } from "../Usage.ts"

const devices = 10_000
const requests = 200

const world = [
  "insert into dcim_region (name, slug, parent_id) values ('top', 'top', null)",
  "insert into dcim_region (name, slug, parent_id) select 'r' || n, 'r' || n, 1 from generate_series(1, 20) n",
  "insert into dcim_site (name, slug, region_id) select 's' || n, 's' || n, 2 + n % 20 from generate_series(1, 100) n",
  "insert into dcim_manufacturer (name, slug) values ('m', 'm')",
  "insert into dcim_devicetype (manufacturer_id, model, slug) values (1, 'm', 'm')",
  "insert into dcim_devicerole (name, slug) select 'o' || n, 'o' || n from generate_series(1, 10) n",
  "insert into extras_tag (name, slug) select 't' || n, 't' || n from generate_series(1, 10) n",
  `insert into dcim_device (name, device_type_id, device_role_id, site_id, tags)
     select 'd' || n, 1, 1 + n % 10, 1 + n % 100, array[1 + n % 10]::bigint[] from generate_series(1, ${devices}) n`,
  `insert into extras_configcontext (name, weight, data, roles, sites, regions, tags)
     select 'c' || n, n, jsonb_build_object('k' || n % 40, repeat('x', 300), 'shared', jsonb_build_object('v' || n, n)),
            case n % 4 when 0 then array[1 + n / 4 % 10]::bigint[] else '{}' end,
            case n % 4 when 1 then array[1 + n / 4 % 100]::bigint[] else '{}' end,
            case n % 4 when 2 then array[1 + n / 4 % 21]::bigint[] else '{}' end,
            case n % 4 when 3 then array[1 + n / 4 % 10]::bigint[] else '{}' end
       from generate_series(1, 200) n`,
  "vacuum analyze"
]

const figures: ReadonlyArray<Figure> = [
  { name: "time", unit: "ms", more: false },
  { name: "CPU", unit: "µs a request", more: false }
]

const callOf = (n: number, more: string): Call => ({
  method: "GET",
  path: `/api/dcim/devices/?limit=50&offset=${(n * 50) % devices}${more}`
})

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire({}, { roles: ["api"] })
  for (const statement of world) await rackwire.sql.query(statement)
  const token = await newToken(rackwire.service)
  const pool = new Pool(rackwire.service.url, { connections: 1 })
  const usage = () => usageOf(rackwire.pid())
  const contender = (role: Contender["role"], name: string, more: string): Contender => ({
    ...{ name, role, usage },
    turn: async () => {
      const taken: Array<number> = []
      const before = usage().cpuSeconds
      for (let n = 0; n < requests; n++) {
        const began = performance.now()
        await answered(pool, callOf(n, more), token)
        taken.push(performance.now() - began)
      }
      return { time: median(taken), CPU: ((usage().cpuSeconds - before) * 1e6) / requests }
    }
  })
  return {
    title: "pages of 50 devices with config contexts",
    ...{ figures, rounds: 3 },
    contenders: [
      contender("floor", "without contexts", "&exclude=config_context"),
      contender("ours", "with contexts", "")
    ],
    close: async () => {
      await pool.close()
      await rackwire.close()
    }
  }
}

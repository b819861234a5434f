/** How many statements pickers and the filters of a list send, whatever the number of objects. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Tracer } from "effect"
import type { SqlClient } from "effect/sql"
import { beforeAll, describe, expect, it } from "vitest"
import { namedObjects, withIds } from "../../src/console/filter/NamedObjects.ts"
import { findTargets } from "../../src/console/pick/Targets.ts"
import { Clearance } from "../../src/inventory/Clearance.ts"
import { objectType } from "../../src/inventory/Registry.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"

let api: Api
let sites: ReadonlyArray<number>

beforeAll(async () => {
  api = await sharedApi()
  const many = Array.from({ length: 60 }, (_, at) => named(`Site ${at}`))
  sites = await api.makeAll("dcim/sites", many)
  await api.makeAll(
    "dcim/racks",
    sites.map((site, at) => ({ name: `R${at}`, site }))
  )
})

let statements = 0
const counting = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    const attribute = span.attribute.bind(span)
    span.attribute = (key, value) => {
      if (key === "db.query.text") statements += 1
      attribute(key, value)
    }
    return span
  }
})

const counted = async <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | Clearance>) => {
  statements = 0
  const layer = PgClient.layer({ url: Redacted.make(api.database.databaseUrl) })
  const result = await Effect.runPromise(
    effect.pipe(Effect.provideService(Clearance, Clearance.all), Effect.provide(layer), Effect.withTracer(counting))
  )
  return { result, statements }
}

const device = objectType("dcim.device")

describe("the filters of a list", () => {
  it("read the objects that they name with one statement for each type", async () => {
    const query = (count: number) =>
      new URLSearchParams(sites.slice(0, count).map((id): [string, string] => ["site_id", `${id}`]))
    const [one, many] = [
      await counted(namedObjects(device, query(1), "")),
      await counted(namedObjects(device, query(50), ""))
    ]
    expect([one.statements, many.statements]).toEqual([1, 1])
    expect(many.result.label("site_id", `${sites[49]}`)).toBe("Site 49")
    expect((await counted(namedObjects(device, new URLSearchParams("status=active&name=x"), ""))).statements).toBe(0)
  })

  it("read the ids of keys with one, and leave those alone that nothing has", async () => {
    const typed = new URLSearchParams([
      ["site_id", "site-1, site-2,none"],
      ["status", "active"],
      ["site_id", `${sites[5]}`]
    ])
    const { result, statements: sent } = await counted(withIds(device, typed, ""))
    expect(sent).toBe(1)
    expect([...result]).toEqual([
      ["site_id", `${sites[1]}`],
      ["site_id", `${sites[2]}`],
      ["site_id", "none"],
      ["status", "active"],
      ["site_id", `${sites[5]}`]
    ])
    expect((await counted(withIds(device, result, ""))).result.toString()).toBe(result.toString())
  })
})

describe("a picker", () => {
  it("finds objects with four statements at most, and counts the others", async () => {
    const rack = objectType("dcim.rack")
    const all = await counted(findTargets(rack, "R", "", () => []))
    expect(all.statements).toBeLessThanOrEqual(4)
    expect([all.result.found.length, all.result.more]).toEqual([20, 40])
    const some = await counted(
      findTargets(rack, "", "", (field) => (field === "site" ? sites.slice(0, 30).map(String) : []))
    )
    expect([some.result.found.length, some.result.more]).toEqual([20, 10])
  })
})

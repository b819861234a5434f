/** Objects made from the declarations: each reads back as it was written, and its events show it as the API does. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { type Existing, bodiesOf, makeWorld, writeAny } from "../support/AnyObject.ts"
import { type Api, startApi } from "../support/Api.ts"
import type { Json, List } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

/** Choices that NetBox 3.5 keeps in nullable columns; all others are the empty text where none is made. */
const nullable = new Map([
  ["dcim.consoleport", ["speed"]],
  ["dcim.consoleserverport", ["speed"]],
  ["dcim.interface", ["duplex"]],
  ["dcim.interfacetemplate", ["poe_mode", "poe_type"]],
  ["dcim.poweroutlet", ["type", "feed_leg"]],
  ["dcim.poweroutlettemplate", ["type", "feed_leg"]],
  ["dcim.powerport", ["type"]],
  ["dcim.powerporttemplate", ["type"]]
])

interface Extent {
  readonly types: ReadonlyArray<ObjectType>
  /** Objects of each type that go through the whole pipeline. */
  readonly turns: number
  /** Objects of each type that references may point at. */
  readonly world: number
  /** Salt of the first object. */
  readonly from: number
}

/** Declares the tests for these types. */
export const expectTypesCaptured = ({ types, turns, world, from }: Extent): void => {
  let api: Api
  let existing: Existing
  /** Ids of tags by their slugs. */
  let tags: ReadonlyMap<unknown, number>

  beforeAll(async () => {
    api = await startApi()
    existing = await makeWorld(api.call, world)
    const { results } = (await api.call<List>("GET", "/api/extras/tags/?limit=0")).json
    tags = new Map((results as ReadonlyArray<Json & { readonly id: number }>).map((tag) => [tag["slug"], tag.id]))
  })
  afterAll(() => api.stop())

  /** Fields of an event: without those that the database finds for a reader. */
  const captured = (type: ObjectType, shown: Json): Json => {
    const parts = Object.entries(shown).filter(
      ([name]) =>
        !Object.hasOwn(type.counts, name) &&
        !Object.hasOwn(type.pointedBy, name) &&
        type.derived[name]?.isApart !== true
    )
    return Object.fromEntries(parts)
  }

  interface Logged {
    readonly action: string
    readonly data: Json
    readonly prechange: Json | null
    readonly postchange: Json | null
  }

  /** The events of an object, once so many are there. */
  const eventsOf = (type: ObjectType, id: number, count: number): Promise<ReadonlyArray<Logged>> =>
    eventually(`${count} events of ${type.id} ${id}`, async () => {
      const rows = await api.database.sql.query<Logged>(
        `select action, data, prechange_data as prechange, postchange_data as postchange from extras_objectchange
        where changed_object_type = $1 and changed_object_id = $2 order by position, idx`,
        [type.id, id]
      )
      return rows.length >= count && rows
    })

  /** The flat state that a representation tells of. */
  const flat = (type: ObjectType, shown: Json): Json =>
    Object.fromEntries(
      Object.entries(type.fields).flatMap(([name, { reference, choices, type: columnType, format, wire }]) => {
        if (wire !== "both" && wire !== "read") return []
        const value = shown[name]
        const idOf = (each: unknown) => (each as Json)["id"]
        const places = /^numeric\(\d+,(\d+)\)$/.exec(columnType)?.[1]
        if (value === null) return [[name, choices === undefined || nullable.get(type.id)?.includes(name) ? null : ""]]
        // In the flat state it is a day.
        if (name === "created") return [[name, String(value).slice(0, "2026-11-22".length)]]
        // An image is its name, without the address.
        if (format === "image") return [[name, String(value).replace(/.*\//, "")]]
        if (reference?.shownBy !== undefined)
          return [[name, (value as ReadonlyArray<string>).map((key) => tags.get(key))]]
        if (name === "tags") return [[name, (value as ReadonlyArray<Json>).map((tag) => String(tag["name"])).sort()]]
        // An id alone would not say of which type the end is.
        if (reference?.ends !== undefined) {
          return [
            [name, (value as ReadonlyArray<Json>).map(({ object_type, object_id }) => ({ object_type, object_id }))]
          ]
        }
        if (reference?.many === true) return [[name, (value as ReadonlyArray<unknown>).map(idOf)]]
        // Some references are shown as the id alone.
        if (reference !== undefined) return [[name, typeof value === "number" ? value : idOf(value)]]
        if (choices !== undefined && typeof value === "object") return [[name, (value as Json)["value"]]]
        return [[name, places === undefined ? value : Number(value).toFixed(Number(places))]]
      })
    )

  describe.each(types.map((type) => [type.id, type] as const))("an object of %s", (_, type) => {
    it("can be created, read, changed, captured and deleted with any values", async () => {
      for (let run = 0; run < turns; run++) {
        const seed = from + run
        const made = await writeAny(type, bodiesOf(type, existing, seed), (body) =>
          api.call<Json>("POST", type.path, body)
        )
        const path = `${type.path}${made.id}/`
        expect((await api.call<Json>("GET", path)).json).toMatchObject(made)
        const changed = await writeAny(type, bodiesOf(type, existing, seed + 100), (body) =>
          api.call<Json>("PATCH", path, body)
        )
        expect((await api.call<Json>("GET", path)).json).toMatchObject(changed)
        const put = await writeAny(type, bodiesOf(type, existing, seed + 200), (body) =>
          api.call<Json>("PUT", path, body)
        )
        expect((await api.call<Json>("GET", path)).json).toMatchObject(put)
        expect((await api.call("DELETE", path)).status).toBe(204)
        expect((await api.call("GET", path)).status).toBe(404)

        const events = await eventsOf(type, made.id, 4)
        expect(events.map(({ action }) => action)).toEqual(["create", "update", "update", "delete"])
        const states = [made, changed, put, put].map((shown) => captured(type, shown))
        expect(events.map(({ data }) => data)).toEqual(states)
        const flats = states.map((shown) => flat(type, shown))
        expect(events.map(({ postchange }) => postchange)).toEqual([...flats.slice(0, 3), null])
        expect(events.map(({ prechange }) => prechange)).toEqual([null, ...flats.slice(0, 3)])
      }
    })
  })
}

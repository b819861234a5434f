/** States of objects that are longer than anything NetBox itself writes: they stop no other change. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/Eventually.ts"
import { type Attached, attach, dropSlot, reading } from "./Attached.ts"

let attached: Attached

beforeAll(async () => {
  attached = await attach("4.6")
})
afterAll(() => attached.stop())

/** Writes a change of a site whose state has so many characters, in a transaction of its own. */
const write = ({ netbox }: Attached, name: string, chars: number) =>
  netbox.sql.query(
    `insert into ${netbox.changeTable} (time, user_name, request_id, action, changed_object_type_id, changed_object_id,
       object_repr, message, postchange_data)
     values (clock_timestamp(), 'admin', gen_random_uuid(), 'create', ${netbox.types.get("dcim.site")!}, 1, $1::text, '',
       jsonb_build_object('name', $1::text, 'comments', repeat('a', ${chars})))`,
    [name]
  )

interface LoggedState {
  readonly name: string
  readonly chars: number | null
  readonly problem: string | null
}

/** Waits for so many events, and returns the last ones. */
const lastEvents = async ({ api, source }: Attached, count: number, last: number) => {
  const read = () =>
    api.database.sql.query<LoggedState>(
      `select object_repr as name, length(postchange_data::jsonb ->> 'comments') as chars, source ->> 'problem' as problem
         from extras_objectchange where changed_object_type like $1 order by position, idx`,
      [`${source}:%`]
    )
  await eventually("the events are there", async () => (await read()).length >= count)
  return (await read()).slice(-last)
}

const tooLong = "A state of the object is too long: it is left out."
const event = (name: string, chars: number | null, problem: string | null = null): LoggedState => ({
  name,
  chars,
  problem
})

describe("a state that is too long", () => {
  it("is left out of its event, which says so, and later changes follow", async () => {
    await write(attached, "long", 3_000_000)
    await write(attached, "longer than a kept transaction", 9_000_000)
    await write(attached, "longer than a message of the driver", 70_000_000)
    await write(attached, "usual", 10)
    expect(await lastEvents(attached, 4, 4)).toEqual([
      event("long", 3_000_000),
      event("longer than a kept transaction", null, tooLong),
      event("longer than a message of the driver", null, tooLong),
      event("usual", 10)
    ])
  })

  it("is left out where it is read from the table too", async () => {
    const { api, source } = attached
    const enable = (enabled: boolean) => api.call("PATCH", `/api/extras/sources/${source}/`, { enabled })
    await enable(false)
    await dropSlot(attached)
    for (let n = 0; n < 5; n++) await write(attached, `long ${n}`, 4_000_000)
    await write(attached, "longest", 70_000_000)
    await write(attached, "last", 10)
    await enable(true)
    await reading(api, source)
    expect(await lastEvents(attached, 11, 7)).toEqual([
      ...Array.from({ length: 5 }, (_, n) => event(`long ${n}`, 4_000_000)),
      event("longest", null, tooLong),
      event("last", 10)
    ])
  })
})

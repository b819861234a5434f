/** Operations that people cancel. */
import { describe, expect, it } from "vitest"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startDelivering } from "../deliver/Delivering.ts"

const hooks = startDelivering()

const post = (path: string, body: unknown = {}) => hooks.api.call<Json & { id: number }>("POST", path, body)

interface Operation {
  readonly status: { readonly value: string }
  readonly total: number
  readonly done: number
}

/** The operation, once it has ended. */
const ended = (id: number): Promise<Operation> =>
  eventually(`operation ${id} has ended`, async () => {
    const { json } = await hooks.api.call<Operation>("GET", `/api/extras/operations/${id}/`)
    return ["done", "failed", "cancelled"].includes(json.status.value) && json
  })

describe("an operation", () => {
  const cancel = (id: number) => post(`/api/extras/operations/${id}/cancel/`)
  const operation = (id: number) => hooks.api.call<Operation>("GET", `/api/extras/operations/${id}/`)

  /** Failed deliveries of a webhook, as many as two pages and one more of an operation. */
  const failed = async (name: string) => {
    const id = await hooks.webhook(name, { paused: true })
    await hooks.api.database.sql.query(
      `with day as (select rackwire_add_day('extras_delivery', (now() at time zone 'UTC')::date))
       insert into extras_delivery (delivery_id, webhook_id, status, event, object_type, object_id, request_id, time,
                                    position, idx, attempts, reason, message)
       select $2 || n, $1::text::bigint, 'failed', 'created', 'extras.tag', n, gen_random_uuid(), now(), n, 0, 1, 'Status', 'x'
         from day, generate_series(1, 1001) n`,
      [`${id}`, `${name}-`]
    )
    return id
  }

  it("that is cancelled between two pages stops there, and says so when it is cancelled again", async () => {
    const id = await failed("cancelled")
    // Its second page waits for this row, until the operation is cancelled.
    const { sql } = hooks.api.database
    await sql.query("create table gate (open boolean)")
    const holding = sql.transaction(
      "select id from extras_delivery where delivery_id = 'cancelled-600' for update",
      "do $$ begin while not exists (select from gate) loop perform pg_sleep(0.05); end loop; end $$"
    )
    const filter = { webhook_id: id, status: "failed" }
    const asked = await post("/api/extras/deliveries/discard/", { filter })
    await eventually("the first page is done", async () => (await operation(asked.json.id)).json.done === 500)
    expect(await cancel(asked.json.id)).toMatchObject({ status: 200, json: { status: { value: "cancelled" } } })
    await sql.query("insert into gate values (true)")
    await holding
    const again = await cancel(asked.json.id)
    expect(again).toMatchObject({ status: 409, json: { detail: "The operation has ended: it is cancelled." } })
    // An operation that is asked for later is done after what is left of this one.
    const dropped = await post("/api/extras/deliveries/discard/", { filter: { delivery_id: "cancelled-1001" } })
    expect(await ended(dropped.json.id)).toMatchObject({ done: 1, status: { value: "done" } })
    expect(await ended(asked.json.id)).toMatchObject({ total: 1001, done: 500, status: { value: "cancelled" } })
    await hooks.deliveries(id, "failed", 500)
  })

  it("that has ended, or is not there, is not cancelled", async () => {
    const asked = await post("/api/extras/deliveries/discard/", { filter: { reason: "nothing" } })
    await ended(asked.json.id)
    expect(await cancel(asked.json.id)).toMatchObject({ status: 409 })
    expect(await cancel(999_999)).toMatchObject({ status: 404 })
  })
})

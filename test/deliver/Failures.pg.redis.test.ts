/** Failures by cause: what people need to know to repair them. */
import { beforeAll, describe, expect, it } from "vitest"
import { isFailure } from "../../src/history/log/Failures.ts"
import { type User, makeUser } from "../auth/Users.ts"
import type { Json } from "../support/Client.ts"
import { startDelivering } from "./Delivering.ts"

const hooks = startDelivering()

const never = { retry_schedule: { kind: "list", delays: [] } }
const views = (types: ReadonlyArray<string>) => ({ types, actions: ["view"] })

let id: number
let group: Json
const groupsOf = async (user?: User) => {
  const path = `/api/extras/deliveries/failures/?webhook_id=${id}`
  const { json } = user === undefined ? await hooks.api.call("GET", path) : await user.call("GET", path)
  return json["results"] as ReadonlyArray<Json>
}

beforeAll(async () => {
  // Deliver may know the new address a moment after the first event.
  for (const path of ["/moving", "/moved"]) hooks.answers.set(path, 404)
  id = await hooks.webhook("moving", never)
  await hooks.api.call("PATCH", `/api/extras/webhooks/${id}/`, { payload_url: `${hooks.receiver.url}/moved` })
  await hooks.tag("moving one")
  await hooks.tag("moving two")
  await hooks.deliveries(id, "failed", 2)
  group = (await groupsOf())[0]!
})

describe("a cause of failures", () => {
  it("has its webhook, host, times, message and latest delivery", async () => {
    const [newest, oldest] = await hooks.deliveries(id, "failed", 2)
    expect(group).toMatchObject({
      ...{ webhook: id, webhook_name: "moving", status: "failed", reason: "Status", response_status: 404, count: 2 },
      ...{ host: new URL(hooks.receiver.url).host, example: newest!.id, message: newest!.message }
    })
    expect([group["first"], group["last"]].map((time) => Date.parse(String(time)))).toEqual(
      [oldest, newest].map((each) => Date.parse((each as unknown as Json)["first_attempt"] as string))
    )
  })

  it("names what was changed about the webhook just before", async () => {
    const change = group["changed_before"] as Json
    expect(change).toMatchObject({ user_name: "admin", action: "update", fields: ["payload_url"] })
    const path = `/api/extras/object-changes/?changed_object_type=extras.webhook&changed_object_id=${id}&action=update`
    const { json } = await hooks.api.call<{ results: ReadonlyArray<{ time: string }> }>("GET", path)
    const before = Date.parse(String(group["first"])) - Date.parse(json.results[0]!.time)
    expect(Math.abs(Number(change["seconds"]) - before / 1000)).toBeLessThanOrEqual(0.501)
  })

  it("names no change to users who may not view it", async () => {
    const reader = await makeUser(hooks.api, "reader", views(["extras.webhook", "extras.delivery", "extras.tag"]))
    const [seen] = await groupsOf(reader)
    expect(seen).toMatchObject({ count: 2, changed_before: null })
    const blind = await makeUser(hooks.api, "blind", views(["extras.webhook", "extras.delivery"]))
    expect(await groupsOf(blind)).toEqual([])
  })
})

describe("many deliveries", () => {
  it("of which few fail are grouped without reading the others", async () => {
    const { sql } = hooks.api.database
    await sql.query(
      `insert into extras_delivery (delivery_id, webhook_id, status, event, object_type, object_id, request_id, time,
                                    position, idx, attempts, reason, message, first_attempt)
       select 'many-' || n, $1::bigint, case when n % 100 = 0 then 'failed' else 'successful' end, 'created',
              'extras.tag', n, gen_random_uuid(), now(), 1, n, 1, case when n % 100 = 0 then 'Timeout' else '' end, '', now()
         from generate_series(1, 20000) n`,
      [id]
    )
    await sql.query("analyze extras_delivery")
    const { json } = await hooks.api.call("GET", "/api/extras/deliveries/failures/?status=failed")
    expect((json["results"] as ReadonlyArray<Json>)[0]).toMatchObject({ reason: "Timeout", count: 200 })
    for (const condition of ["true", "t.status = 'failed'", `t.webhook_id = ${id}`]) {
      const plan = await sql.query<{ readonly "QUERY PLAN": string }>(
        `explain (costs off) select t.webhook_id, t.reason from extras_delivery t where (${condition}) and ${isFailure} limit 100000`
      )
      const day = `extras_delivery_${new Date().toISOString().slice(0, 10).replaceAll("-", "")}`
      const lines = plan.map((line) => line["QUERY PLAN"])
      expect([condition, lines.filter((line) => line.includes(`Seq Scan on ${day}`))]).toEqual([condition, []])
    }
  })
})

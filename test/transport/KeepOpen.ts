/** Circuit breakers that stay open for as long as a test needs. */
import { openBreaker } from "../../src/queue/Breaker.ts"
import type { Api } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { openRedis } from "../support/Redis.ts"

/** The webhook's breakers, once there are so many. */
export const breakers = (api: Api, id: number, count: number) =>
  eventually(`${count} breakers of webhook ${id}`, async () => {
    const { json } = await api.call<{ breakers: ReadonlyArray<Json> }>("GET", `/api/extras/webhooks/${id}/`)
    return json.breakers.length === count && json.breakers
  })

/** Waits until the breaker of the webhook has opened, and keeps it open for an hour, as if it had opened often. */
export const keepOpen = async (api: Api, id: number): Promise<void> => {
  await breakers(api, id, 1)
  const client = await openRedis(api.database)
  await openBreaker(client, { webhook: id, openMillis: 3_600_000, openings: 3 })
  await client.quit()
  await api.database.superuser.query(
    `update rackwire_breaker set until = now() + interval '1 hour' where webhook_id = ${id}`
  )
}

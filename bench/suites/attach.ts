/**
 * Time from one change in an attached NetBox to its arrival at the receiver, beside that of a change in the inventory:
 * both are read from the WAL of the same server, and the first passes a second one. Both begin with the statement that
 * makes the change.
 */
import { makeNetBox } from "../../test/source/NetBoxDatabase.ts"
import { atRate, latencyFigures, latencySample } from "../Load.ts"
import { startRackwire } from "../Rackwire.ts"
import { startReceiver, timedName } from "../Receiver.ts"
import type { Suite } from "../Suite.ts"
import { usageOf } from "../Usage.ts"

/** Single changes a round, and the pause between two. */
const changes = 200
const pauseMillis = 10

/** Changes a second under load, each a transaction, and how many a round. */
const rate = 300
const loadChanges = 2000

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const receiver = await startReceiver()
  const netbox = await makeNetBox("4.6", rackwire.superuserUrl)
  const { call, make } = rackwire.service
  const source = await make("extras/sources", { name: "netbox", database_url: netbox.databaseUrl })
  const isRead = async () => {
    const { json } = await call<{ readonly status: string }>("GET", `/api/extras/sources/${source}/`)
    return json.status === "reading"
  }
  while (!(await isRead())) await new Promise((resolve) => setTimeout(resolve, 100))
  const fields = { payload_url: `${receiver.url}/named`, secret: "bench" }
  await rackwire.webhook({ ...fields, name: "inventory", type_update: false })
  await rackwire.webhook({ ...fields, name: "netbox", source })
  const inInventory = (name: string) =>
    rackwire.sql.query(`insert into dcim_site (name, slug) values ('${name}', '${name}')`)
  const type = netbox.types.get("dcim.site")!
  const inNetBox = (name: string) =>
    netbox.sql.query(
      `insert into ${netbox.changeTable} (time, user_name, request_id, action, changed_object_type_id, changed_object_id,
         object_repr, message, postchange_data)
       values (clock_timestamp(), 'admin', gen_random_uuid(), 'create', ${type}, 1, $1::text, '', jsonb_build_object('name', $1::text,
         'slug', $1::text, 'status', 'active', 'region', null, 'description', '', 'comments', '', 'tags', '[]'::jsonb))`,
      [name]
    )
  const contender = (name: string, role: "peer" | "ours", insert: (name: string) => Promise<unknown>) => [
    {
      name,
      role,
      usage: () => usageOf(rackwire.pid()),
      turn: async (round: number) => {
        for (let n = 0; n < changes; n++) {
          await insert(timedName(`${role}-${round}-${n}`))
          await new Promise((resolve) => setTimeout(resolve, pauseMillis))
        }
        return latencySample((await receiver.until(changes)).latencies)
      }
    },
    {
      name: `${name}, ${rate} changes a second`,
      role,
      usage: () => usageOf(rackwire.pid()),
      turn: async (round: number) => {
        await atRate(loadChanges, rate, (n) => insert(timedName(`${role}-load-${round}-${n}`)))
        return latencySample((await receiver.until(loadChanges)).latencies)
      }
    }
  ]
  return {
    title: `Change to receipt: ${changes} single changes a round, one webhook, signed, without an API`,
    figures: latencyFigures,
    rounds: 5,
    contenders: [...contender("the inventory", "peer", inInventory), ...contender("a NetBox", "ours", inNetBox)],
    close: async () => {
      receiver.close()
      await netbox.drop()
      await rackwire.close()
    }
  }
}

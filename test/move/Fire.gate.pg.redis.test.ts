/** A move with `--fire` makes one event of each object, as it is at the end of the move. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type TestDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { moveInto, schema } from "./Source.ts"

let source: TestDatabase
let api: Api
let receiver: Receiver

const rows: ReadonlyArray<string> = [
  "insert into dcim_site (id, name, slug, status, time_zone, facility) values (7, 'Oslo', 'oslo', 'active', '', '')",
  "insert into dcim_manufacturer (id, name, slug) values (1, 'M', 'm')",
  "insert into dcim_devicetype (id, manufacturer_id, model, slug, u_height, front_image) values (1, 1, 'T', 't', 1.0, '')",
  "insert into dcim_devicerole (id, name, slug, color) values (1, 'R', 'r', '00ff00')",
  `insert into dcim_device (id, name, device_type_id, device_role_id, site_id, status) values
     (20, 'a', 1, 1, 7, 'active'), (21, 'b', 1, 1, 7, 'active')`,
  "insert into dcim_interface (id, device_id, name, type) values (40, 20, 'eth0', '1000base-t'), (41, 21, 'eth0', '1000base-t')",
  "insert into ipam_ipaddress (id, address, status, assigned_object_type_id, assigned_object_id) values (30, '10.0.0.1/32', 'active', 2, 40)",
  "update dcim_device set primary_ip4_id = 30 where id = 20",
  "insert into dcim_cable (id, status, type) values (50, 'connected', 'cat6')",
  `insert into dcim_cabletermination (id, cable_id, cable_end, termination_type_id, termination_id)
     values (61, 50, 'A', 2, 40), (60, 50, 'B', 2, 41)`
]

beforeAll(async () => {
  api = await startApi({ SECRET_KEY: "a key of more than thirty-two letters" })
  receiver = await startReceiver()
  source = await makeEmptyDatabase()
  for (const statement of [...schema, ...rows]) await source.sql.query(statement)
})
afterAll(async () => {
  await receiver.close()
  await api.stop()
  await source.drop()
})

test("an object is one event, with its references, its cable and its ends", async () => {
  const content_types = ["dcim.site", "dcim.device", "dcim.interface", "dcim.cable", "ipam.ipaddress"]
  const events = { type_create: true, type_update: true, type_delete: true }
  await api.make("extras/webhooks", { name: "all", content_types, payload_url: `${receiver.url}/`, ...events })
  await moveInto({ from: source.databaseUrl, to: api.database.databaseUrl, fires: true })
  await caughtUp(api.database)
  const sent = receiver.received.map(({ body }) => JSON.parse(`${body}`) as Sent)
  const known = new Map(sent.map(({ event, model, data }) => [`${event} ${model} ${data["id"]}`, data]))
  expect([...known.keys()].toSorted()).toEqual([
    ...["created cable 50", "created device 20", "created device 21", "created interface 40", "created interface 41"],
    ...["created ipaddress 30", "created site 7"]
  ])
  expect(sent).toHaveLength(known.size)
  expect(known.get("created device 20")).toMatchObject({ site: { id: 7 }, primary_ip4: { id: 30 } })
  expect(known.get("created interface 40")).toMatchObject({ cable: { id: 50 }, link_peers: [{ id: 41 }] })
  expect(known.get("created cable 50")).toMatchObject({
    ...{ a_terminations: [{ object_id: 40 }], b_terminations: [{ object_id: 41 }] }
  })
})

interface Sent {
  readonly event: string
  readonly model: string
  readonly data: Readonly<Record<string, unknown>>
}

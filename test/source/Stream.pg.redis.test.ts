/** A NetBox as a source: every change that it records is one event, in the order of its commits. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type Attached, addSource, attach, expectEvents, eventsOf, expectedOf } from "./Attached.ts"
import { writeEverything } from "./Scenario.ts"

describe("a NetBox 4.6", () => {
  let attached: Attached
  let receiver: Receiver

  beforeAll(async () => {
    receiver = await startReceiver()
    attached = await attach("4.6")
  })

  afterAll(async () => {
    await attached.stop()
    await receiver.close()
  })

  const hook = (name: string, fields: object) =>
    attached.api.make("extras/webhooks", {
      ...{ name, content_types: ["dcim.site"], type_create: true, payload_url: `${receiver.url}/${name}` },
      ...fields
    })

  it("sends a change to a webhook of its source, and to no other", async () => {
    const { source, writer } = attached
    await hook("inventory", {})
    await hook("source", { source })
    await writer.request((request) => request.create("dcim.site", { name: "AMS1", slug: "ams1", status: "active" }))
    await eventually("it is received", () => receiver.received.some(({ path }) => path === "/source"))
    const body = JSON.parse(receiver.received[0]!.body.toString())
    expect(body).toMatchObject({
      ...{ event: "created", model: "site", username: "admin" },
      data: { name: "AMS1", status: { value: "active", label: "Active" } },
      snapshots: { prechange: null, postchange: { name: "AMS1", status: "active" } },
      source: { data: "snapshot" }
    })
    expect(receiver.received.map(({ path }) => path)).toEqual(["/source"])
  })

  it("gives one event for each object of each transaction", async () => {
    await writeEverything(attached.writer)
    await expectEvents(attached)
    await attached.writer.retire(10)
    await expectEvents(attached)
  })

  it("leaves room for events of other sources between those of a large transaction", async () => {
    const { api, writer, source } = attached
    expect(Math.max(...writer.committed.map(({ events }) => events.length))).toBe(2500)
    const [most] = await api.database.sql.query<{ readonly events: number }>(
      `select max(events)::int as events from (
         select count(*) as events from extras_objectchange where changed_object_type like $1 group by position) p`,
      [`${source}:%`]
    )
    expect(most!.events).toBe(25)
  })

  it("gives no event again when it is read anew, and none of before it was attached", async () => {
    const { api, source, netbox, writer } = attached
    await api.call("PATCH", `/api/extras/sources/${source}/`, { enabled: false })
    await writer.request((request) => request.create("dcim.site", { name: "meanwhile" }))
    await api.call("PATCH", `/api/extras/sources/${source}/`, { enabled: true })
    const second = await addSource(api, netbox, { name: "second", slot: `${netbox.name}_2` })
    const later = await writer.request((request) => request.create("dcim.site", { name: "later" }))
    await expectEvents(attached)
    await eventually(
      "the second source has its event",
      async () => (await eventsOf({ api, source: second })).length > 0
    )
    expect(await eventsOf({ api, source: second })).toEqual(expectedOf([later]))
  })

  it("gives the change of a plugin's object the name of its type", async () => {
    const { api, writer, source } = attached
    await writer.request((request) => request.create("netbox_dns.zone", { name: "example.com" }))
    await expectEvents(attached)
    const { json } = await api.call<{ readonly results: ReadonlyArray<object> }>(
      "GET",
      `/api/extras/object-changes/?changed_object_type=${source}:netbox_dns.zone&limit=1`
    )
    expect(json.results[0]).toMatchObject({ changed_object_type: `${source}:netbox_dns.zone`, changed_object: null })
  })
})

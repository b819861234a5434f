/** A NetBox as a source: every change that it records is one event, in the order of its commits. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type Attached, attach, comparesWith } from "./Attached.ts"
import { releases } from "./NetBoxModels.ts"

describe.each(releases)("a NetBox %s", (release) => {
  let attached: Attached
  let receiver: Receiver

  beforeAll(async () => {
    receiver = await startReceiver()
    attached = await attach(release)
  })

  afterAll(async () => {
    await attached.stop()
    await receiver.close()
  })

  it("sends a change to a webhook of its source, and to no other", async () => {
    const { api, source, writer } = attached
    const hook = (name: string, fields: object) =>
      api.make("extras/webhooks", {
        ...{ name, content_types: ["dcim.site"], type_create: true, payload_url: `${receiver.url}/${name}` },
        ...fields
      })
    await hook("own", {})
    await hook("theirs", { source })
    await writer.request((request) => request.create("dcim.site", { name: "AMS1", slug: "ams1", status: "active" }))
    await eventually("it is received", () => receiver.received.some(({ path }) => path === "/theirs"))
    await comparesWith(attached)
    const body = JSON.parse(receiver.received[0]!.body.toString())
    expect(body).toMatchObject({
      ...{ event: "created", model: "site", username: "admin" },
      data: { name: "AMS1", status: { value: "active", label: "Active" } },
      snapshots: { prechange: null, postchange: { name: "AMS1", status: "active" } },
      source: { data: "snapshot" }
    })
    expect(receiver.received.map(({ path }) => path)).toEqual(["/theirs"])
  })
})

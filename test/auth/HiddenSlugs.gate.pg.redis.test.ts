/** A config context shows its tags by their slugs alone: readers get those of the tags that they may view. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type Json, named } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { makeUser } from "./Users.ts"

let api: Api
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
})
afterAll(async () => {
  await api.stop()
  await receiver.close()
})

it("has no slug of a hidden tag in deliveries for a scope user, in conditions, and in the API", async () => {
  const tags: Array<number> = []
  for (const name of ["Hidden", "Seen"]) tags.push(await api.make("extras/tags", named(name)))
  const eve = await makeUser(
    api,
    "eve",
    { types: ["extras.configcontext"], actions: ["view"] },
    { types: ["extras.tag"], actions: ["view"], constraints: { name: "Seen" } }
  )
  const hook = (name: string, fields: Json) =>
    api.make("extras/webhooks", {
      ...{ name, content_types: ["extras.configcontext"], type_create: true, type_update: true },
      ...{ payload_url: `${receiver.url}/${name}`, ...fields }
    })
  await hook("whole", {})
  await hook("scoped", { scope_user: eve.id })
  await hook("guess", { scope_user: eve.id, conditions: { attr: "tags", op: "contains", value: "hidden" } })
  const context = await api.make("extras/config-contexts", { name: "NTP", tags, data: { ntp: [] } })
  await api.call("PATCH", `/api/extras/config-contexts/${context}/`, { description: "changed" })
  await caughtUp(api.database)
  const slugsAt = (path: string) =>
    receiver.received
      .filter((each) => each.path === path)
      .map(({ body }) => (JSON.parse(body.toString()) as { readonly data: { readonly tags: unknown } }).data.tags)
  expect(slugsAt("/whole")).toEqual([
    ["hidden", "seen"],
    ["hidden", "seen"]
  ])
  expect(slugsAt("/scoped")).toEqual([["seen"], ["seen"]])
  expect(slugsAt("/guess")).toEqual([])
  const { json } = await eve.call("GET", `/api/extras/config-contexts/${context}/`)
  expect(json["tags"]).toEqual(["seen"])
})

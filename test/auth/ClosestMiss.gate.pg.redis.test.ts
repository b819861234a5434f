/** The closest miss of a webhook is computed from what its reader may view. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { named } from "../support/Client.ts"
import { type User, makeUser } from "./Users.ts"

let api: Api
let eve: User

beforeAll(async () => {
  api = await startApi()
  eve = await makeUser(api, "eve", { types: ["dcim.site", "extras.webhook", "extras.objectchange"], actions: ["view"] })
})
afterAll(() => api.stop())

it("is the same whatever the names of hidden objects are", async () => {
  const wanted = await api.make("tenancy/tenants", named("Wanted"))
  const other = await api.make("tenancy/tenants", named("Other"))
  const webhook = await api.make("extras/webhooks", {
    ...{ name: "asks", content_types: ["dcim.site"], type_create: true, payload_url: "http://127.0.0.1:9/" },
    conditions: {
      and: [
        { attr: "tenant.name", value: "Wanted" },
        { attr: "name", value: "no such site" }
      ]
    }
  })
  const closest = async (call: User["call"]) => {
    const { json } = await call("GET", `/api/extras/webhooks/${webhook}/skipped/?limit=2`)
    return (json["closest"] as { readonly display: string } | null)?.display.replace(/ .*/, "")
  }
  const worlds: Array<readonly [whole: unknown, eves: unknown]> = []
  for (const [at, tenants] of [
    [wanted, other],
    [other, wanted]
  ].entries()) {
    await api.make("dcim/sites", { ...named(`Older ${at}`), tenant: tenants[0] })
    await api.make("dcim/sites", { ...named(`Newer ${at}`), tenant: tenants[1] })
    await caughtUp(api.database)
    worlds.push([await closest((method, path) => api.call(method, path)), await closest(eve.call)])
  }
  expect(worlds.map(([whole]) => whole)).toEqual(["Older", "Newer"])
  expect(worlds[0]![1]).toBe(worlds[1]![1])
})

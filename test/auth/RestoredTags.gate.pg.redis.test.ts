/** Restoring an object keeps the tags that the restoring user may not view. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type List, named } from "../support/Client.ts"
import { makeUser } from "./Users.ts"

let api: Api

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

it("writes the visible tags of before, and the hidden ones of now", async () => {
  const tags: Array<number> = []
  for (const name of ["Hidden", "Seen before", "Seen after"]) tags.push(await api.make("extras/tags", named(name)))
  const [hidden, before, after] = tags
  const site = await api.make("dcim/sites", { ...named("Site"), tags: [hidden, before] })
  await api.call("PATCH", `/api/dcim/sites/${site}/`, { tags: [hidden, after] })
  await caughtUp(api.database)
  const eve = await makeUser(
    api,
    "eve",
    { types: ["dcim.site", "extras.objectchange"], actions: ["view", "change"] },
    { types: ["extras.tag"], actions: ["view"], constraints: { name__startswith: "Seen" } }
  )
  const path = "/api/extras/object-changes/?changed_object_type=dcim.site&action=update"
  const [change] = (await api.call<List>("GET", path)).json.results
  const { status } = await fetch(`${api.service.url}/extras/object-changes/${change!.id}/restore/`, {
    ...{ method: "POST", redirect: "manual", headers: { authorization: `Token ${eve.token}`, accept: "text/html" } },
    body: new URLSearchParams({ field: "tags" })
  })
  expect(status).toBe(302)
  const { json } = await api.call<{ readonly tags: ReadonlyArray<{ readonly id: number }> }>(
    "GET",
    `/api/dcim/sites/${site}/`
  )
  expect(json.tags.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([hidden, before])
})

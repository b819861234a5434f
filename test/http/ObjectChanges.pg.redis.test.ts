/** The change log as NetBox's clients read it: who changed which object. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

const log = "/api/extras/object-changes/"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

/** The changes of an object, once there are so many. */
const changesOf = (type: string, id: unknown, count: number, call: Api["call"] = api.call) =>
  eventually(`${count} changes`, async () => {
    const path = `${log}?changed_object_type=${type}&changed_object_id=${String(id)}`
    const { results } = (await call<{ readonly results: ReadonlyArray<Json> }>("GET", path)).json
    return results.length === count && results
  })

test("shows the user and the object, null once they are gone, and is displayed as NetBox displays it", async () => {
  const editor = await makeUser(api, "editor", { types: ["dcim.sitegroup"], actions: ["view", "add", "change"] })
  const made = await editor.call("POST", "/api/dcim/site-groups/", named("North"))
  const group = made.json["id"]
  await editor.call("PATCH", `/api/dcim/site-groups/${String(group)}/`, { description: "x" })
  const [updated, created] = await changesOf("dcim.sitegroup", group, 2)
  expect(updated).toMatchObject({
    display: "dcim | site group North updated by editor",
    user: { id: editor.id, username: "editor", display: "editor" },
    user_name: "editor",
    action: { value: "update", label: "Updated" },
    changed_object: { id: group, name: "North", slug: "north", display: "North" }
  })
  expect(created!["display"]).toBe("dcim | site group North created by editor")
  expect((await api.call("GET", `${log}${String(created!["id"])}/`)).json).toEqual(created)

  await api.call("DELETE", `/api/dcim/site-groups/${String(group)}/`)
  await api.call("DELETE", `/api/users/users/${editor.id}/`)
  const [deleted, , first] = await changesOf("dcim.sitegroup", group, 3)
  expect(deleted).toMatchObject({
    display: "dcim | site group North deleted by admin",
    user: { username: "admin" },
    changed_object: null
  })
  expect(first).toMatchObject({ user: null, user_name: "editor", changed_object: null })
})

test("does not tell a user who may not see other users which ones there are", async () => {
  const reader = await makeUser(api, "reader", {
    types: ["dcim.site", "extras.objectchange"],
    actions: ["view"],
    constraints: null
  })
  const site = (await api.call("POST", "/api/dcim/sites/", named("Here"))).json
  const [seen] = await changesOf("dcim.site", site["id"], 1, reader.call as Api["call"])
  expect(seen).toMatchObject({ user: null, user_name: "admin", changed_object: { id: site["id"], name: "Here" } })
})

test("keeps changes of objects whose type is not declared any more", async () => {
  await api.database.sql.query(
    `insert into extras_objectchange (time, user_name, request_id, action, changed_object_type, changed_object_id,
       object_repr, position, idx, data, prechange_data, postchange_data)
     select time, '', request_id, 'delete', 'old.thing', 7, 'Thing', 1, 1, data, prechange_data, 'null'
       from extras_objectchange limit 1`
  )
  const [change] = await changesOf("old.thing", 7, 1)
  expect(change).toMatchObject({
    display: "old | thing Thing deleted",
    user: null,
    changed_object: null
  })
})

/** Warnings about the condition of a webhook: in the answers of the API, on its page, and in the workbench. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

const mistyped = { attr: "statsu.value", value: "active" }
const warning = "events of dcim.site have no statsu.value, so the webhook does not fire where it is read."

interface Made {
  readonly id: number
  readonly warnings: ReadonlyArray<string>
}

it("come with the webhook, and go when its condition is corrected", async () => {
  const made = await api.call<Made>("POST", "/api/extras/webhooks/", {
    ...{ name: "mistyped", content_types: ["dcim.site"], type_create: true, payload_url: "http://receiver.example/" },
    conditions: mistyped
  })
  expect([made.status, made.json.warnings]).toEqual([201, [warning]])
  const headers = { authorization: `Token ${await api.newToken()}`, accept: "text/html" }
  const page = await (await fetch(`${api.service.url}/extras/webhooks/${made.json.id}/`, { headers })).text()
  expect(page).toContain(warning)
  const path = `/api/extras/webhooks/${made.json.id}/`
  const template = await api.call("PATCH", path, { conditions: { ...mistyped, attr: "{{ data.status }}" } })
  expect([template.status, template.text]).toEqual([400, expect.stringContaining("a path and no template")])
  const corrected = await api.call<Made>("PATCH", path, { conditions: { ...mistyped, attr: "status.value" } })
  expect(corrected.json.warnings).toEqual([])
  await api.call("DELETE", path)
})

it("are in the event of the webhook, too", async () => {
  await api.call("POST", "/api/dcim/sites/", named("Any"))
  const { json } = await api.call<Made>("POST", "/api/extras/webhooks/", {
    ...{ name: "told", content_types: ["dcim.site"], type_create: true, payload_url: "http://receiver.example/" },
    ...{ enabled: false, conditions: mistyped }
  })
  await expect
    .poll(() =>
      api.database.sql.query(
        "select data -> 'warnings' as told from extras_objectchange where data ->> 'name' = 'told'"
      )
    )
    .toEqual([{ told: [warning] }])
  await api.call("DELETE", `/api/extras/webhooks/${json.id}/`)
})

/** Goal: a webhook of NetBox, read from its tables, is one that Rackwire takes and shows with the same values. */
import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { takeOver } from "../../src/attach/Takeover.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { servers } from "../support/Database.ts"
import { makeNetBox } from "../source/NetBoxDatabase.ts"
import { rulesOf } from "./Reading.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

const request = `'https://example.com/{{ model }}', 'PUT', 'text/plain', 'X-Team: {{ data.name }}', '{{ event }}', 'hidden', true`
const requestColumns =
  "payload_url, http_method, http_content_type, additional_headers, body_template, secret, ssl_verification"
const conditions = `'{"and": [{"attr": "status.value", "value": "active"}, {"attr": "latitude", "op": "gt", "value": 52.5}]}'`

const statements = {
  "3.5": [
    `insert into extras_webhook (name, type_create, type_update, type_delete, type_job_start, type_job_end, enabled, conditions, ${requestColumns})
     values ('sites', true, false, true, false, false, true, ${conditions}, ${request})`,
    "insert into extras_webhook_content_types (webhook_id, contenttype_id) select w.id, c.id from extras_webhook w, django_content_type c where c.model in ('site', 'device')"
  ],
  "4.6": [
    `insert into extras_webhook (custom_field_data, name, description, ${requestColumns}) values ('{}', 'receiver', '', ${request})`,
    `insert into extras_eventrule (custom_field_data, name, description, enabled, conditions, action_type, action_object_id, comments, event_types, action_object_type_id)
     select '{}', 'sites', 'Of sites', true, ${conditions}, 'webhook', w.id, '', '{object_created,object_deleted}', c.id
       from extras_webhook w, django_content_type c where c.model = 'webhook'`,
    "insert into extras_eventrule_object_types (eventrule_id, objecttype_id) select r.id, c.id from extras_eventrule r, django_content_type c where c.model in ('site', 'device')"
  ]
} as const

describe.each(["3.5", "4.6"] as const)("a webhook of NetBox %s", (release) => {
  test("is created disabled, with its values and its secret", async () => {
    const netbox = await makeNetBox(release, servers.superuserUrl)
    onTestFinished(() => netbox.drop())
    for (const statement of statements[release]) await netbox.sql.query(statement)
    const tables = release === "3.5" ? [] : ["extras_eventrule", "extras_eventrule_object_types"]
    const facts = { schema: "public", webhookTables: ["extras_webhook", "extras_webhook_content_types", ...tables] }
    const [taken, ...others] = (await rulesOf(netbox.databaseUrl, facts)).map(takeOver)
    expect([others, taken!.differences]).toEqual([[], []])
    const body = { ...taken!.fields, name: `sites of ${release}`, secret: Redacted.value(taken!.secret) }
    const made = await api.call("POST", "/api/extras/webhooks/", body)
    expect(made).toMatchObject({
      status: 201,
      json: {
        ...{ enabled: false, content_types: ["dcim.device", "dcim.site"], type_create: true, type_update: false },
        ...{ type_delete: true, payload_url: "https://example.com/{{ model }}", http_method: "PUT" },
        ...{
          http_content_type: "text/plain",
          additional_headers: "X-Team: {{ data.name }}",
          body_template: "{{ event }}"
        },
        conditions: taken!.fields!.conditions
      }
    })
    expect(JSON.stringify(made.json)).toContain("52.5")
  })
})

import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { type NetBoxRule, ruleBytesMax, switchSql, takeOver } from "../../src/attach/Takeover.ts"
import { registry } from "../../src/inventory/Registry.ts"

const request = {
  payload_url: "https://example.com/{{ model }}",
  ...{
    http_method: "PUT",
    http_content_type: "text/plain",
    additional_headers: "X-A: b",
    body_template: "{{ event }}"
  },
  ...{ secret: "hidden", ssl_verification: true, ca_file_path: null }
}

/** A webhook of 3.5. */
const webhook: NetBoxRule = {
  ...{ table: "extras_webhook", id: "4", name: "sites", types: ["dcim.site", "netbox_dns.zone"], webhook: undefined },
  row: {
    ...request,
    ...{ type_create: true, type_update: false, type_delete: true, type_job_start: false, type_job_end: false },
    ...{ enabled: true, conditions: { and: [{ attr: "status.value", value: "active" }] } }
  }
}

/** An event rule of 4.2. */
const rule: NetBoxRule = {
  ...{ table: "extras_eventrule", id: "11", name: "sites", types: ["dcim.site"], webhook: request },
  row: {
    ...{ description: "Of sites", enabled: true, conditions: null, action_type: "webhook", action_data: null },
    event_types: ["object_created", "object_updated"]
  }
}

const withRow = (of: NetBoxRule, change: Readonly<Record<string, unknown>>): NetBoxRule => ({
  ...of,
  row: { ...of.row, ...change }
})

const reasonsOf = (of: NetBoxRule) => takeOver(of).differences.map(({ reason }) => reason)

describe("a webhook of NetBox to 3.6", () => {
  it("becomes a disabled webhook with its types, events, conditions and request", () => {
    const { fields, secret, isEnabled, differences } = takeOver(webhook)
    expect(fields).toEqual({
      ...{ name: "sites", description: "", enabled: false, content_types: ["dcim.site", "netbox_dns.zone"] },
      ...{ type_create: true, type_update: false, type_delete: true, timeout: null },
      ...{ payload_url: request.payload_url, http_method: "PUT", http_content_type: "text/plain" },
      ...{ additional_headers: "X-A: b", body_template: "{{ event }}", ssl_verification: true, ca_file_path: null },
      conditions: { and: [{ attr: "status.value", value: "active" }] }
    })
    expect([Redacted.value(secret), isEnabled, differences]).toEqual(["hidden", true, []])
  })

  it("lacks its events of jobs, and is not taken over for these alone", () => {
    const jobs = { type_job_start: true, type_job_end: true }
    expect(takeOver(withRow(webhook, jobs)).differences).toEqual([
      {
        reason: "JobEvents",
        sentence: "Its events job_started, job_completed are not sent: only those of objects are."
      }
    ])
    const alone = takeOver(withRow(webhook, { ...jobs, type_create: false, type_delete: false }))
    expect([alone.fields, alone.differences.map(({ reason }) => reason)]).toEqual([undefined, ["NoEvents"]])
  })
})

describe("an event rule", () => {
  it("becomes a webhook with the request of the webhook that it names", () => {
    const { fields, secret, differences } = takeOver(rule)
    expect(fields).toMatchObject({
      ...{ name: "sites", description: "Of sites", enabled: false, content_types: ["dcim.site"], conditions: null },
      ...{ type_create: true, type_update: true, type_delete: false, payload_url: request.payload_url }
    })
    expect([Redacted.value(secret), differences]).toEqual(["hidden", []])
  })

  it("has its events in columns to 4.0", () => {
    const columns = { event_types: undefined, type_create: false, type_update: false, type_delete: true }
    expect(takeOver(withRow(rule, columns)).fields).toMatchObject({
      type_create: false,
      type_update: false,
      type_delete: true
    })
  })

  it("keeps the time limit of a webhook that has one", () => {
    expect(takeOver({ ...rule, webhook: { ...request, timeout: 12 } }).fields).toMatchObject({ timeout: 12 })
  })

  it.each([
    ["Action", withRow(rule, { action_type: "script" }), "Its action is script: only webhooks are taken over."],
    ["Action", withRow(rule, { action_type: "notification" }), "Its action is notification"],
    ["NoWebhook", { ...rule, webhook: undefined }, "does not exist"],
    ["NoRule", { ...rule, table: "extras_webhook", row: request }, "No event rule names this webhook"],
    ["NoEvents", withRow(rule, { event_types: ["job_failed"] }), "no events of objects"],
    ["NoTypes", { ...rule, types: [] }, "no object types"],
    ["Conditions", withRow(rule, { conditions: { nor: [] } }), "Its conditions are refused here: "],
    ["TooLarge", { ...rule, row: null }, `longer than ${ruleBytesMax / 1024} KiB`],
    ["TooLarge", { ...rule, webhook: null }, "KiB"]
  ] as ReadonlyArray<readonly [string, NetBoxRule, string]>)("is not taken over: %s", (reason, of, words) => {
    const { fields, differences } = takeOver(of)
    expect(fields).toBeUndefined()
    expect(differences).toEqual([{ reason, sentence: expect.stringContaining(words) }])
  })

  it("names each difference", () => {
    const of = {
      ...withRow(rule, {
        ...{ action_data: { team: "net", token: "s3cret" }, enabled: false },
        event_types: ["object_deleted", "job_failed", "plugin_event"]
      }),
      webhook: { ...request, ca_file_path: "/etc/ssl/ca.pem" }
    }
    const { fields, isEnabled, differences } = takeOver(of)
    expect([fields?.ca_file_path, isEnabled]).toEqual(["/etc/ssl/ca.pem", false])
    expect(differences.map(({ reason }) => reason)).toEqual(["JobEvents", "ActionData", "CaFile", "Disabled"])
    const sentences = differences.map(({ sentence }) => sentence).join("\n")
    expect(sentences).toContain("Its events job_failed, plugin_event are not sent")
    expect(sentences).toContain("NetBox merges action_data (team, token) into data")
    expect(sentences).toContain("WEBHOOK_CA_DIRECTORY")
    expect(sentences).not.toContain("s3cret")
  })

  it("shortens names that are long or many", () => {
    const keys = Array.from({ length: 12 }, (_, at) => [`${at}`.repeat(at === 11 ? 9 : 200), at])
    const [difference] = takeOver(withRow(rule, { action_data: Object.fromEntries(keys) })).differences
    expect(difference!.sentence).toContain("and 2 more")
    expect(difference!.sentence.length).toBeLessThan(1500)
  })

  it("has no secret in what is printed", () => {
    expect(JSON.stringify(takeOver(rule))).not.toContain("hidden")
  })

  it("is taken over with values of other types than NetBox stores", () => {
    const odd = { ...rule, webhook: { payload_url: 7, secret: null, ssl_verification: "no" } }
    expect(takeOver(odd).fields).toMatchObject({ payload_url: "", ssl_verification: true })
    expect(reasonsOf(withRow(rule, { event_types: [1, null, "object_created"], action_data: ["a"] }))).toEqual([
      "JobEvents"
    ])
  })
})

describe("the fields", () => {
  it("are fields of our webhooks, which take their values", () => {
    const { fields } = registry.get("extras.webhook")!
    for (const [name, value] of Object.entries(takeOver(webhook).fields!)) {
      const read = fields[name]!.parse(value)
      expect([name, "value" in read]).toEqual([name, true])
    }
  })
})

describe("the switch", () => {
  it("disables the rule by one column, if it is enabled", () => {
    expect(switchSql(takeOver(rule), { schema: "public" })).toBe(
      `update "public"."extras_eventrule" set enabled = false where id = 11 and enabled;`
    )
    expect(switchSql(takeOver(webhook), { schema: `n"b` })).toContain(`update "n""b"."extras_webhook" set enabled`)
  })

  it("takes a number alone as an id", () => {
    expect(() => switchSql(takeOver({ ...rule, id: "1 or true" }), { schema: "public" })).toThrow(SyntaxError)
  })
})

/**
 * CloudEvents 1.0 over HTTP: the whole event in one JSON document (structured mode), or its attributes in headers and
 * the usual body (binary mode).
 */
import { createHash } from "node:crypto"
import { type Call, type Json, definePlugin, jsonText, sampleEvent } from "#plugin"

/** The id of an event: the same whenever the event is sent again, and different for each other event. */
const id = (call: Call, input: Json | undefined): string => {
  const json = jsonText(input ?? null)
  call.charge(1 + (json.length >> 6), json.length)
  return createHash("sha256").update(json).digest("hex").slice(0, 32)
}

/** Encodes a header value by the HTTP binding: quotes, percent signs and all but printable ASCII become `%xx`. */
const headerValue = (call: Call, input: Json | undefined): string => {
  const text = String(input ?? "").toWellFormed()
  call.charge(1 + (text.length >> 4), text.length * 3)
  return text.replaceAll(/[^\x21-\x7e]|["%]/gu, (unit) =>
    [...Buffer.from(unit)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")
  )
}

/** The same in both modes. `data.url` names the inventory before `/api/` and the object after it. */
const attributes = {
  id: "[request_id, event, data, snapshots]|cloudevent_id",
  source: "data.url.split('/api/')[0]",
  type: "'rackwire.' ~ model ~ '.' ~ event",
  subject: "data.url.split('/api/')[-1]",
  time: "timestamp"
}

const structured = `{{ {
  "specversion": "1.0",
${Object.entries(attributes)
  .map(([name, expression]) => `  "${name}": ${expression},\n`)
  .join("")}  "datacontenttype": "application/json",
  "data": {
    "event": event, "model": model, "username": username, "request_id": request_id,
    "data": data, "snapshots": snapshots
  }
}|tojson }}`

const binary = `ce-specversion: 1.0
${Object.entries(attributes)
  .map(([name, expression]) => `ce-${name}: {{ (${expression})|cloudevent_header }}`)
  .join("\n")}`

export default definePlugin({
  name: "cloudevents",
  description: "CloudEvents 1.0 in structured and in binary mode.",
  filters: { cloudevent_id: id, cloudevent_header: headerValue },
  templates: {
    cloudevents_structured: {
      description: "One JSON document with the attributes and the event.",
      body: structured,
      contentType: "application/cloudevents+json"
    },
    cloudevents_binary: {
      description: "The attributes as headers; the body is the event as it is without a template.",
      body: "",
      headers: binary,
      contentType: "application/json"
    }
  },
  examples: [
    {
      template: structured,
      context: {
        ...sampleEvent,
        data: { id: 7, url: "https://inventory.example.com/api/dcim/devices/7/" },
        snapshots: null
      },
      expect: `{"data": {"data": {"id": 7, "url": "https://inventory.example.com/api/dcim/devices/7/"}, "event": "updated", "model": "device", "request_id": "17af32f0-852a-46ca-a7d4-33ecd0c13de6", "snapshots": null, "username": "admin"}, "datacontenttype": "application/json", "id": "fe4270997fb385996982e2cd2cec14e2", "source": "https://inventory.example.com", "specversion": "1.0", "subject": "dcim/devices/7/", "time": "2024-05-06T07:08:09.123456+00:00", "type": "rackwire.device.updated"}`
    },
    {
      template: binary,
      context: sampleEvent,
      expect: `ce-specversion: 1.0
ce-id: 9d42a7f4d5d7740e8fc25f1f44beb9d5
ce-source: https://inventory.example.com
ce-type: rackwire.device.updated
ce-subject: dcim/devices/7/
ce-time: 2024-05-06T07:08:09.123456+00:00`
    },
    { template: "{{ 'Zürich 50% \"x\"'|cloudevent_header }}", expect: "Z%C3%BCrich%2050%25%20%22x%22" }
  ]
})

/** Events to try templates on. */
import type { JsonObject } from "./plugin/Contract.ts"

/** The default body of an event, to try templates on. */
export const sampleEvent: JsonObject = {
  event: "updated",
  timestamp: "2024-05-06T07:08:09.123456+00:00",
  model: "device",
  username: "admin",
  request_id: "17af32f0-852a-46ca-a7d4-33ecd0c13de6",
  data: {
    id: 7,
    url: "https://inventory.example.com/api/dcim/devices/7/",
    display: "sw-1",
    name: "sw-1",
    status: { value: "active", label: "Active" },
    site: { id: 3, name: "Amsterdam", slug: "ams" },
    primary_ip: { id: 11, address: "192.0.2.10/24" },
    tags: [
      { id: 1, name: "core", slug: "core" },
      { id: 2, name: "lab", slug: "lab" }
    ],
    custom_fields: { owner: "ops" },
    comments: 'first line\nsecond "line"'
  },
  snapshots: {
    prechange: { name: "sw-0", status: "planned", comments: "" },
    postchange: { name: "sw-1", status: "active", comments: 'first line\nsecond "line"' }
  }
}

/** An event in which a webhook begins to fail, to try alerts on. */
export const sampleTurn = {
  ...sampleEvent,
  model: "webhook",
  username: "",
  message: "The receiver answered 503.",
  data: { id: 3, url: "https://inventory.example.com/api/extras/webhooks/3/", display: "register", health: "failing" }
} satisfies JsonObject

/** The sample event as templates see it. */
export const sampleContext: JsonObject = {
  ...sampleEvent,
  object_type: "dcim.device",
  request: {
    id: "17af32f0-852a-46ca-a7d4-33ecd0c13de6",
    method: "PATCH",
    path: "/api/dcim/devices/7/",
    user: "admin"
  },
  message: "replaced after the outage"
}

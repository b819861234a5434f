/** Incidents and events for ServiceNow. */
import { definePlugin, sampleEvent } from "#plugin"

// Short descriptions have up to 160 characters. By the correlation id ServiceNow recognises a duplicate.
const incident = `{% set summary = model ~ " " ~ data.display ~ " " ~ event ~ " by " ~ (username or "unknown") -%}
{% set details -%}
  {{ data.url }}
{{ timestamp }}, request {{ request_id }}
{% for change in snapshots|changes %}{{ change.name }}: {{ change.before or "–" }} → {{ change.after or "–" }}
{% endfor %}
{%- endset -%}
{{ {
  "short_description": summary[:160],
  "description": details[:4000],
  "urgency": "3",
  "impact": "3",
  "correlation_id": (request_id ~ "-" ~ model ~ "-" ~ data.id ~ "-" ~ event)[:100],
  "correlation_display": "Rackwire"
}|tojson(indent=2) }}`

// Severity 5 is informational; 0 clears the events with the same key.
const event = `{{ {
  "records": [{
    "source": "Rackwire",
    "event_class": "inventory",
    "node": data.display,
    "resource": model,
    "type": event,
    "message_key": "rackwire-" ~ model ~ "-" ~ data.id,
    "severity": "0" if event == "deleted" else "5",
    "time_of_event": timestamp[:19]|replace("T", " "),
    "description": model ~ " " ~ data.display ~ " " ~ event,
    "additional_info": {"url": data.url, "username": username, "request_id": request_id}|tojson
  }]
}|tojson(indent=2) }}`

export default definePlugin({
  name: "servicenow",
  description: "Incidents and events for ServiceNow.",
  templates: {
    servicenow_incident: {
      description: "An incident for each event. To https://<instance>.service-now.com/api/now/table/incident",
      body: incident,
      headers: "Accept: application/json",
      contentType: "application/json"
    },
    servicenow_event: {
      description: "An event for Event Management. To https://<instance>.service-now.com/api/global/em/jsonv2",
      body: event,
      headers: "Accept: application/json",
      contentType: "application/json"
    }
  },
  examples: [
    {
      template: incident,
      context: sampleEvent,
      expect: String.raw`{
  "correlation_display": "Rackwire",
  "correlation_id": "17af32f0-852a-46ca-a7d4-33ecd0c13de6-device-7-updated",
  "description": "https://inventory.example.com/api/dcim/devices/7/\n2024-05-06T07:08:09.123456+00:00, request 17af32f0-852a-46ca-a7d4-33ecd0c13de6\nname: sw-0 \u2192 sw-1\nstatus: planned \u2192 active\ncomments: \u2013 \u2192 first line\nsecond \"line\"\n",
  "impact": "3",
  "short_description": "device sw-1 updated by admin",
  "urgency": "3"
}`
    },
    {
      template: event,
      context: sampleEvent,
      expect: String.raw`{
  "records": [
    {
      "additional_info": "{\"request_id\": \"17af32f0-852a-46ca-a7d4-33ecd0c13de6\", \"url\": \"https://inventory.example.com/api/dcim/devices/7/\", \"username\": \"admin\"}",
      "description": "device sw-1 updated",
      "event_class": "inventory",
      "message_key": "rackwire-device-7",
      "node": "sw-1",
      "resource": "device",
      "severity": "5",
      "source": "Rackwire",
      "time_of_event": "2024-05-06 07:08:09",
      "type": "updated"
    }
  ]
}`
    }
  ]
})

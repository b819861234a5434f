/** Alerts and change events for PagerDuty's Events API v2. */
import { definePlugin, sampleEvent, sampleTurn } from "#plugin"

// One alert for each object, resolved once the object is active or deleted. A summary has up to 1024 characters.
const alert = `{% set status = (data.status or {}).value -%}
{{ {
  "routing_key": "YOUR_INTEGRATION_KEY",
  "event_action": "resolve" if event == "deleted" or status == "active" else "trigger",
  "dedup_key": "rackwire-" ~ model ~ "-" ~ data.id,
  "payload": {
    "summary": (model ~ " " ~ data.display ~ " " ~ event ~ (": " ~ status if status else ""))[:1024],
    "source": data.url,
    "severity": "warning",
    "timestamp": timestamp,
    "component": data.display,
    "class": model ~ "." ~ event,
    "custom_details": {"username": username, "request_id": request_id, "changes": snapshots|changes}
  },
  "links": [{"href": data.url, "text": data.display}]
}|tojson(indent=2) }}`

const change = `{{ {
  "routing_key": "YOUR_INTEGRATION_KEY",
  "payload": {
    "summary": (model ~ " " ~ data.display ~ " " ~ event ~ " by " ~ (username or "unknown"))[:1024],
    "source": data.url,
    "timestamp": timestamp,
    "custom_details": {"request_id": request_id, "changes": snapshots|changes}
  },
  "links": [{"href": data.url, "text": data.display}]
}|tojson(indent=2) }}`

// One alert for each webhook, resolved once it is healthy or deleted.
const health = `{{ {
  "routing_key": "YOUR_INTEGRATION_KEY",
  "event_action": "resolve" if event == "deleted" or data.health == "healthy" else "trigger",
  "dedup_key": "rackwire-webhook-health-" ~ data.id,
  "payload": {
    "summary": ("webhook " ~ data.display ~ " is " ~ data.health ~ (": " ~ message if message else ""))[:1024],
    "source": data.url,
    "severity": "error" if data.health == "failing" else "warning",
    "timestamp": timestamp,
    "component": data.display,
    "class": "webhook.health",
    "custom_details": {"username": username, "request_id": request_id}
  },
  "links": [{"href": data.url, "text": data.display}]
}|tojson(indent=2) }}`

export default definePlugin({
  name: "pagerduty",
  description: "Alerts and change events for PagerDuty.",
  templates: {
    pagerduty_alert: {
      description: "An alert until the object is active or gone. To https://events.pagerduty.com/v2/enqueue",
      body: alert,
      contentType: "application/json"
    },
    pagerduty_change: {
      description: "A change event. To https://events.pagerduty.com/v2/change/enqueue",
      body: change,
      contentType: "application/json"
    },
    pagerduty_health: {
      description:
        'An alert until the webhook is healthy or gone. For a webhook on extras.webhook with the condition {"attr": "health", "op": "changed"}. To https://events.pagerduty.com/v2/enqueue',
      body: health,
      contentType: "application/json"
    }
  },
  examples: [
    {
      template: alert,
      context: sampleEvent,
      expect: String.raw`{
  "dedup_key": "rackwire-device-7",
  "event_action": "resolve",
  "links": [
    {
      "href": "https://inventory.example.com/api/dcim/devices/7/",
      "text": "sw-1"
    }
  ],
  "payload": {
    "class": "device.updated",
    "component": "sw-1",
    "custom_details": {
      "changes": [
        {
          "after": "sw-1",
          "before": "sw-0",
          "name": "name"
        },
        {
          "after": "active",
          "before": "planned",
          "name": "status"
        },
        {
          "after": "first line\nsecond \"line\"",
          "before": "",
          "name": "comments"
        }
      ],
      "request_id": "17af32f0-852a-46ca-a7d4-33ecd0c13de6",
      "username": "admin"
    },
    "severity": "warning",
    "source": "https://inventory.example.com/api/dcim/devices/7/",
    "summary": "device sw-1 updated: active",
    "timestamp": "2024-05-06T07:08:09.123456+00:00"
  },
  "routing_key": "YOUR_INTEGRATION_KEY"
}`
    },
    {
      template: change,
      context: sampleEvent,
      expect: String.raw`{
  "links": [
    {
      "href": "https://inventory.example.com/api/dcim/devices/7/",
      "text": "sw-1"
    }
  ],
  "payload": {
    "custom_details": {
      "changes": [
        {
          "after": "sw-1",
          "before": "sw-0",
          "name": "name"
        },
        {
          "after": "active",
          "before": "planned",
          "name": "status"
        },
        {
          "after": "first line\nsecond \"line\"",
          "before": "",
          "name": "comments"
        }
      ],
      "request_id": "17af32f0-852a-46ca-a7d4-33ecd0c13de6"
    },
    "source": "https://inventory.example.com/api/dcim/devices/7/",
    "summary": "device sw-1 updated by admin",
    "timestamp": "2024-05-06T07:08:09.123456+00:00"
  },
  "routing_key": "YOUR_INTEGRATION_KEY"
}`
    },
    {
      template: health,
      context: sampleTurn,
      expect: String.raw`{
  "dedup_key": "rackwire-webhook-health-3",
  "event_action": "trigger",
  "links": [
    {
      "href": "https://inventory.example.com/api/extras/webhooks/3/",
      "text": "register"
    }
  ],
  "payload": {
    "class": "webhook.health",
    "component": "register",
    "custom_details": {
      "request_id": "17af32f0-852a-46ca-a7d4-33ecd0c13de6",
      "username": ""
    },
    "severity": "error",
    "source": "https://inventory.example.com/api/extras/webhooks/3/",
    "summary": "webhook register is failing: The receiver answered 503.",
    "timestamp": "2024-05-06T07:08:09.123456+00:00"
  },
  "routing_key": "YOUR_INTEGRATION_KEY"
}`
    },
    {
      template: health,
      context: { ...sampleTurn, message: "", data: { ...sampleTurn.data, health: "healthy" } },
      expect: String.raw`{
  "dedup_key": "rackwire-webhook-health-3",
  "event_action": "resolve",
  "links": [
    {
      "href": "https://inventory.example.com/api/extras/webhooks/3/",
      "text": "register"
    }
  ],
  "payload": {
    "class": "webhook.health",
    "component": "register",
    "custom_details": {
      "request_id": "17af32f0-852a-46ca-a7d4-33ecd0c13de6",
      "username": ""
    },
    "severity": "warning",
    "source": "https://inventory.example.com/api/extras/webhooks/3/",
    "summary": "webhook register is healthy",
    "timestamp": "2024-05-06T07:08:09.123456+00:00"
  },
  "routing_key": "YOUR_INTEGRATION_KEY"
}`
    }
  ]
})

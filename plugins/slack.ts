/** Messages for Slack, by an incoming webhook or `chat.postMessage`. */
import { type Call, type Json, definePlugin, sampleEvent, sampleTurn } from "#plugin"

/** Escapes the three special characters of Slack's mrkdwn. */
const escape = (call: Call, input: Json | undefined): string => {
  const text = String(input ?? "")
  call.charge(1 + (text.length >> 5), text.length * 2)
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}

// A section holds 3000 characters at most.
const message = `{% set title -%}
  {{ model|capitalize }} <{{ data.url }}|{{ data.display|slack_escape }}> {{ event }}
  {%- if username %} by {{ username|slack_escape }}{% endif %}
{%- endset -%}
{% set details -%}
  {% if event == "updated" %}{% for change in snapshots|changes %}
• *{{ change.name }}*: {{ change.before|truncate(200)|slack_escape or "–" }} → {{ change.after|truncate(200)|slack_escape or "–" }}
  {%- endfor %}{% endif %}
{%- endset -%}
{{ {
  "text": title,
  "blocks": [
    {"type": "section", "text": {"type": "mrkdwn", "text": (title ~ details)[:3000]}},
    {"type": "context", "elements": [{"type": "mrkdwn", "text": timestamp ~ " · request " ~ request_id}]}
  ]
}|tojson(indent=2) }}`

const health = `{% set text -%}
  Webhook <{{ data.url }}|{{ data.display|slack_escape }}> is {{ data.health }}
  {%- if message %}: {{ message|slack_escape }}{% endif %}
{%- endset -%}
{{ {
  "text": text,
  "blocks": [
    {"type": "section", "text": {"type": "mrkdwn", "text": text[:3000]}},
    {"type": "context", "elements": [{"type": "mrkdwn", "text": timestamp}]}
  ]
}|tojson(indent=2) }}`

export default definePlugin({
  name: "slack",
  description: "A message for a Slack channel.",
  filters: { slack_escape: escape },
  templates: {
    slack_message: {
      description:
        "Who did what to which object, and for an update what changed. To https://hooks.slack.com/services/…",
      body: message,
      contentType: "application/json"
    },
    slack_health: {
      description:
        'Which webhook turned to which health, and why. For a webhook on extras.webhook with the condition {"attr": "health", "op": "changed"}.',
      body: health,
      contentType: "application/json"
    }
  },
  examples: [
    { template: "{{ 'a <b> & c'|slack_escape }}", expect: "a &lt;b&gt; &amp; c" },
    {
      template: message,
      context: sampleEvent,
      expect: String.raw`{
  "blocks": [
    {
      "text": {
        "text": "Device \u003chttps://inventory.example.com/api/dcim/devices/7/|sw-1\u003e updated by admin\n\u2022 *name*: sw-0 \u2192 sw-1\n\u2022 *status*: planned \u2192 active\n\u2022 *comments*: \u2013 \u2192 first line\nsecond \"line\"",
        "type": "mrkdwn"
      },
      "type": "section"
    },
    {
      "elements": [
        {
          "text": "2024-05-06T07:08:09.123456+00:00 \u00b7 request 17af32f0-852a-46ca-a7d4-33ecd0c13de6",
          "type": "mrkdwn"
        }
      ],
      "type": "context"
    }
  ],
  "text": "Device \u003chttps://inventory.example.com/api/dcim/devices/7/|sw-1\u003e updated by admin"
}`
    },
    {
      template: message,
      context: {
        ...sampleEvent,
        event: "deleted",
        username: "",
        data: { url: "https://inventory.example.com/api/dcim/sites/3/", display: "R&D <lab>" }
      },
      expect: String.raw`{
  "blocks": [
    {
      "text": {
        "text": "Device \u003chttps://inventory.example.com/api/dcim/sites/3/|R\u0026amp;D \u0026lt;lab\u0026gt;\u003e deleted",
        "type": "mrkdwn"
      },
      "type": "section"
    },
    {
      "elements": [
        {
          "text": "2024-05-06T07:08:09.123456+00:00 \u00b7 request 17af32f0-852a-46ca-a7d4-33ecd0c13de6",
          "type": "mrkdwn"
        }
      ],
      "type": "context"
    }
  ],
  "text": "Device \u003chttps://inventory.example.com/api/dcim/sites/3/|R\u0026amp;D \u0026lt;lab\u0026gt;\u003e deleted"
}`
    },
    {
      template: health,
      context: sampleTurn,
      expect: String.raw`{
  "blocks": [
    {
      "text": {
        "text": "Webhook \u003chttps://inventory.example.com/api/extras/webhooks/3/|register\u003e is failing: The receiver answered 503.",
        "type": "mrkdwn"
      },
      "type": "section"
    },
    {
      "elements": [
        {
          "text": "2024-05-06T07:08:09.123456+00:00",
          "type": "mrkdwn"
        }
      ],
      "type": "context"
    }
  ],
  "text": "Webhook \u003chttps://inventory.example.com/api/extras/webhooks/3/|register\u003e is failing: The receiver answered 503."
}`
    }
  ]
})

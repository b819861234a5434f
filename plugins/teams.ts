/** Messages for Microsoft Teams, as Adaptive Cards for a workflow's webhook. */
import { definePlugin, sampleEvent, sampleTurn } from "#plugin"

const card = `{% set facts = [] -%}
{% if event == "updated" %}{% for change in snapshots|changes -%}
  {% set _ = facts.append({
    "title": change.name,
    "value": (change.before|truncate(200) or "–") ~ " → " ~ (change.after|truncate(200) or "–")
  }) -%}
{% endfor %}{% endif -%}
{{ {
  "type": "message",
  "attachments": [{
    "contentType": "application/vnd.microsoft.card.adaptive",
    "content": {
      "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
      "type": "AdaptiveCard",
      "version": "1.4",
      "body": [
        {"type": "TextBlock", "size": "medium", "weight": "bolder", "wrap": true,
         "text": model|capitalize ~ " " ~ data.display ~ " " ~ event},
        {"type": "TextBlock", "isSubtle": true, "wrap": true,
         "text": (username or "unknown") ~ ", " ~ timestamp},
        {"type": "FactSet", "facts": facts}
      ],
      "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": data.url}]
    }
  }]
}|tojson(indent=2) }}`

const health = `{{ {
  "type": "message",
  "attachments": [{
    "contentType": "application/vnd.microsoft.card.adaptive",
    "content": {
      "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
      "type": "AdaptiveCard",
      "version": "1.4",
      "body": [
        {"type": "TextBlock", "size": "medium", "weight": "bolder", "wrap": true,
         "color": "good" if data.health == "healthy" else "attention",
         "text": "Webhook " ~ data.display ~ " is " ~ data.health},
        {"type": "TextBlock", "isSubtle": true, "wrap": true, "text": timestamp},
        {"type": "TextBlock", "wrap": true, "text": message or ""}
      ],
      "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": data.url}]
    }
  }]
}|tojson(indent=2) }}`

export default definePlugin({
  name: "teams",
  description: "A card for a Microsoft Teams channel.",
  templates: {
    teams_card: {
      description: "Who did what to which object, and for an update what changed. To the address of a Teams workflow.",
      body: card,
      contentType: "application/json"
    },
    teams_health: {
      description:
        'Which webhook turned to which health, and why. For a webhook on extras.webhook with the condition {"attr": "health", "op": "changed"}.',
      body: health,
      contentType: "application/json"
    }
  },
  examples: [
    {
      template: card,
      context: sampleEvent,
      expect: String.raw`{
  "attachments": [
    {
      "content": {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "actions": [
          {
            "title": "Open",
            "type": "Action.OpenUrl",
            "url": "https://inventory.example.com/api/dcim/devices/7/"
          }
        ],
        "body": [
          {
            "size": "medium",
            "text": "Device sw-1 updated",
            "type": "TextBlock",
            "weight": "bolder",
            "wrap": true
          },
          {
            "isSubtle": true,
            "text": "admin, 2024-05-06T07:08:09.123456+00:00",
            "type": "TextBlock",
            "wrap": true
          },
          {
            "facts": [
              {
                "title": "name",
                "value": "sw-0 \u2192 sw-1"
              },
              {
                "title": "status",
                "value": "planned \u2192 active"
              },
              {
                "title": "comments",
                "value": "\u2013 \u2192 first line\nsecond \"line\""
              }
            ],
            "type": "FactSet"
          }
        ],
        "type": "AdaptiveCard",
        "version": "1.4"
      },
      "contentType": "application/vnd.microsoft.card.adaptive"
    }
  ],
  "type": "message"
}`
    },
    {
      template: health,
      context: sampleTurn,
      expect: String.raw`{
  "attachments": [
    {
      "content": {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "actions": [
          {
            "title": "Open",
            "type": "Action.OpenUrl",
            "url": "https://inventory.example.com/api/extras/webhooks/3/"
          }
        ],
        "body": [
          {
            "color": "attention",
            "size": "medium",
            "text": "Webhook register is failing",
            "type": "TextBlock",
            "weight": "bolder",
            "wrap": true
          },
          {
            "isSubtle": true,
            "text": "2024-05-06T07:08:09.123456+00:00",
            "type": "TextBlock",
            "wrap": true
          },
          {
            "text": "The receiver answered 503.",
            "type": "TextBlock",
            "wrap": true
          }
        ],
        "type": "AdaptiveCard",
        "version": "1.4"
      },
      "contentType": "application/vnd.microsoft.card.adaptive"
    }
  ],
  "type": "message"
}`
    }
  ]
})

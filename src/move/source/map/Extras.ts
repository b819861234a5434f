import type { FieldSource, Mapping } from "../Mapping.ts"

/** Fields of a webhook that its table has in all releases. */
const request = [
  ...["payload_url", "http_method", "http_content_type", "additional_headers", "body_template"],
  ...["secret", "ssl_verification", "ca_file_path"]
]

/** A value of the webhook that a rule names. */
const ofWebhook = (name: string): FieldSource => ({
  needs: [`extras_webhook.${name}`],
  sql: `(select w."${name}" from extras_webhook w where w.id = t.action_object_id)`
})

const ofTypes = (join: string, id: string): FieldSource => ({
  needs: [`${join}.${id}`],
  sql: `array(select m.${id} from ${join} m where m.eventrule_id = t.id order by 1)`,
  kind: "contentTypes"
})

const event = (action: "create" | "update" | "delete"): FieldSource => ({
  needs: ["event_types"],
  sql: `('object_${action}d' = any (t.event_types))`
})

const extras: ReadonlyArray<Mapping> = [
  {
    type: "extras.customfield",
    fields: {
      ui_visibility: [
        {
          needs: ["ui_visible", "ui_editable"],
          sql: "case when t.ui_visible = 'hidden' then 'hidden' when t.ui_visible = 'if-set' then 'hidden-ifunset' when t.ui_editable = 'yes' then 'read-write' else 'read-only' end"
        }
      ],
      choices: [
        {
          needs: ["choice_set_id", "extras_customfieldchoiceset.extra_choices"],
          sql: "(select array(select s.extra_choices[i][1] from generate_subscripts(s.extra_choices, 1) i) from extras_customfieldchoiceset s where s.id = t.choice_set_id)"
        }
      ]
    },
    dropped: ["choice_set_id", "ui_visible", "ui_editable"],
    homeless: {
      base_choices: {
        needs: ["choice_set_id", "extras_customfieldchoiceset.base_choices"],
        sql: "(select nullif(s.base_choices, '') from extras_customfieldchoiceset s where s.id = t.choice_set_id)"
      }
    }
  },
  { type: "extras.webhook", needs: ["type_create"] },
  {
    // From 3.7 a rule says what fires, and a webhook has the request: one webhook of ours for each rule.
    type: "extras.webhook",
    table: "extras_eventrule",
    needs: ["action_object_id"],
    where: "t.action_type = 'webhook'",
    fields: {
      ...Object.fromEntries(request.map((name) => [name, [ofWebhook(name)]])),
      content_types: [
        ofTypes("extras_eventrule_object_types", "objecttype_id"),
        ofTypes("extras_eventrule_object_types", "contenttype_id"),
        ofTypes("extras_eventrule_content_types", "contenttype_id")
      ],
      type_create: [event("create")],
      type_update: [event("update")],
      type_delete: [event("delete")]
    },
    dropped: ["action_type", "action_object_type_id", "action_object_id", "event_types"],
    homeless: {
      job_events: {
        needs: ["event_types"],
        sql: "array(select e from unnest(t.event_types) e where e not in ('object_created', 'object_updated', 'object_deleted') order by 1)"
      }
    },
    leftovers: [
      { table: "extras_eventrule", where: "t.action_type <> 'webhook'" },
      {
        table: "extras_webhook",
        where:
          "not exists (select from extras_eventrule r where r.action_type = 'webhook' and r.action_object_id = t.id)"
      }
    ]
  }
]

export default extras

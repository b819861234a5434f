import type { Mapping } from "../Mapping.ts"

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
  {
    type: "extras.webhook",
    // Event rules of later releases say what fires a webhook: they are not moved yet.
    needs: ["type_create"],
    fields: { enabled: [{ needs: ["enabled"], sql: "false" }] }
  }
]

export default extras

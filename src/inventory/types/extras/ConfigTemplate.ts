import { synchronised } from "../../context/Synchronised.ts"
import { defineObjectType, json, tags, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "extras",
  name: "configtemplate",
  plural: "config-templates",
  menu: "Provisioning",
  label: "config template",
  fields: {
    name: text({ max: 100 }),
    description: text({ max: 200, optional: true }),
    environment_params: json({
      grammar: "environment",
      help: 'How white space is treated: {"trim_blocks": true, "lstrip_blocks": true, "keep_trailing_newline": true}.'
    }),
    template_code: text({ verbatim: true, grammar: "configTemplate", help: "In the language of Jinja2." }),
    tags: tags()
  },
  derived: synchronised,
  identity: ["name"],
  search: ["name", "description"],
  ordering: ["name"],
  listed: ["description"],
  brief: ["name"]
})

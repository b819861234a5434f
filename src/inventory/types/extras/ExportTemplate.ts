import { broken, defineObjectType, flag, nothing, text, texts } from "../../ObjectType.ts"

/** A template that makes a file of a list: `?export=<name>`. */
export default defineObjectType({
  app: "extras",
  name: "exporttemplate",
  plural: "export-templates",
  label: "export template",
  groups: { File: ["mime_type", "file_extension", "as_attachment"] },
  fields: {
    content_types: texts({ grammar: "objectTypes", help: "The object types whose lists it exports." }),
    name: text({ max: 100 }),
    description: text({ max: 200, optional: true }),
    template_code: text({
      verbatim: true,
      grammar: "jinja",
      placeholder: "{% for each in queryset %}{{ each.name }}{% endfor %}",
      help: "Jinja2. The objects of the list are `queryset`."
    }),
    mime_type: text({
      max: 50,
      optional: true,
      pattern: /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *; *[\w-]+=[\w.+:-]+)*$/,
      refusal: "Enter a media type, such as text/csv.",
      placeholder: "text/plain; charset=utf-8"
    }),
    file_extension: text({
      max: 15,
      optional: true,
      pattern: /^[\w.-]+$/,
      refusal: "Enter letters, digits, underscores, hyphens and dots only.",
      placeholder: "csv"
    }),
    as_attachment: flag({ default: true, help: "Whether browsers save the file rather than show it." })
  },
  // Nothing is synchronised from files.
  derived: {
    data_source: nothing,
    data_path: { shape: { kind: "text" }, of: () => "" },
    data_file: nothing,
    data_synced: nothing
  },
  search: ["name", "description"],
  ordering: ["name"],
  listed: ["content_types", "description", "mime_type", "file_extension"],
  brief: ["name"],
  *check({ name }) {
    if (name.toLowerCase() !== "table") return
    yield broken(["name"], { name: [`"${name}" is a reserved name. Please choose a different name.`] })
  }
})

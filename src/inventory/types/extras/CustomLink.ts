import { choice, defineObjectType, flag, integer, text, texts } from "../../ObjectType.ts"

/** A link on the pages of objects, whose text and address are templates. */
export default defineObjectType({
  app: "extras",
  name: "customlink",
  plural: "custom-links",
  label: "custom link",
  groups: {
    Templates: ["link_text", "link_url"],
    Display: ["group_name", "weight", "button_class", "new_window"]
  },
  fields: {
    content_types: texts({ grammar: "objectTypes", help: "The object types whose pages show the link." }),
    name: text({ max: 100, unique: true }),
    enabled: flag({ default: true }),
    link_text: text({
      grammar: "jinja",
      placeholder: "Graphs of {{ object.name }}",
      help: "Jinja2. A link whose text is empty for an object is not shown."
    }),
    link_url: text({
      grammar: "jinja",
      placeholder: "https://example.com/?site={{ object.slug }}",
      help: "Jinja2."
    }),
    weight: integer({ min: 0, max: 32_767, default: 100, help: "Links with a lower weight are first." }),
    group_name: text({ max: 50, optional: true, help: "Links with the same group are one menu." }),
    button_class: choice(
      {
        "outline-dark": "Default",
        blue: "Blue",
        indigo: "Indigo",
        purple: "Purple",
        pink: "Pink",
        red: "Red",
        orange: "Orange",
        yellow: "Yellow",
        green: "Green",
        teal: "Teal",
        cyan: "Cyan",
        gray: "Gray",
        black: "Black",
        white: "White",
        "ghost-dark": "Link"
      },
      { default: "outline-dark", bare: true, help: "Of links in a group that of the first one counts." }
    ),
    new_window: flag({ default: false })
  },
  search: ["name", "link_text", "link_url", "group_name"],
  ordering: ["group_name", "weight", "name"],
  listed: ["content_types", "enabled", "group_name", "button_class", "new_window"],
  brief: ["name"]
})

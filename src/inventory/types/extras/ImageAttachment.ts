import { defineObjectType, generic, integer, text } from "../../ObjectType.ts"
import { image, sideMax } from "../../image/ImageField.ts"

/** Written by uploads, which read the size of the image: it is no field to write. */
const side = () => integer({ min: 0, max: sideMax, default: 0, wire: "read" })

export default defineObjectType({
  app: "extras",
  name: "imageattachment",
  plural: "image-attachments",
  label: "image attachment",
  fields: {
    ...generic("object", { typeField: "content_type", shownAs: "parent", onDelete: "cascade" }),
    name: text({ max: 50, optional: true }),
    image: image({ folder: "image-attachments" }),
    image_height: side(),
    image_width: side()
  },
  panels: [{ kind: "images", of: "self" }],
  units: { image_height: "px", image_width: "px" },
  search: ["name"],
  ordering: ["name"],
  listed: ["content_type", "parent", "image_width", "image_height"],
  brief: ["name", "image"],
  display: (row) => row.name || row.image
})

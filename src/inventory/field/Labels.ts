import type { Field } from "../Field.ts"
import { customFields } from "./CustomFields.ts"
import { tags } from "./Reference.ts"
import { slug, text } from "./Text.ts"

/** A name and a slug that no other object of the type has. */
export const named = (): Readonly<Record<"name" | "slug", Field<string>>> => ({
  name: text({ max: 100, unique: true }),
  slug: slug({ unique: true })
})

/** Tags and values of custom fields. */
export const labels = () => ({
  tags: tags(),
  custom_fields: customFields()
})

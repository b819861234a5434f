import type { Field } from "../Field.ts"
import { customFields } from "../field/CustomFields.ts"
import { tags } from "../field/Reference.ts"
import { slug, text } from "../field/Text.ts"

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

/** The filters of what may have contacts: a contact, a role or a group by its id. */
export const contactPaths = {
  contact: "<tenancy.contactassignment.object/contact_id",
  contact_role: "<tenancy.contactassignment.object/role_id",
  contact_group: "<tenancy.contactassignment.object/contact/group_id"
}

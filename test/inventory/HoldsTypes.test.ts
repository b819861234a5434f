/** Fields whose values are ids of object types: forms, lists, OPTIONS and moves treat them alike. */
import { expect, it } from "vitest"
import { holdsTypes } from "../../src/inventory/Grammar.ts"
import { registry } from "../../src/inventory/Registry.ts"

it("are all that name the types of webhooks, filters, links, templates, custom fields and permissions", () => {
  const found = [...registry.values()].flatMap(({ id, fields }) =>
    Object.entries(fields).flatMap(([name, field]) => (holdsTypes(field) ? [`${id}.${name}`] : []))
  )
  expect(found.toSorted()).toEqual([
    "extras.customfield.content_types",
    "extras.customfield.object_type",
    "extras.customlink.content_types",
    "extras.exporttemplate.content_types",
    "extras.savedfilter.content_types",
    "extras.webhook.content_types",
    "users.objectpermission.object_types"
  ])
})

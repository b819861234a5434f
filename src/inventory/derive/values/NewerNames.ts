/**
 * Names of fields that later versions of NetBox gave them: bodies may have them in place of NetBox 3.5's. Answers keep the
 * names of 3.5.
 */
const newerNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "dcim.device": { device_role: "role" },
  "extras.customfield": { content_types: "object_types" },
  "extras.customlink": { content_types: "object_types" },
  "extras.exporttemplate": { content_types: "object_types" },
  "extras.imageattachment": { content_type: "object_type" },
  "extras.savedfilter": { content_types: "object_types" },
  "extras.webhook": { content_types: "object_types" },
  "tenancy.contactassignment": { content_type: "object_type" }
}

/** The later name of a field; undefined where it has kept its name. */
export const newerName = (type: string, field: string): string | undefined => newerNames[type]?.[field]

/** Whether bodies of a type may have this later name. */
export const isNewerName = (type: string, name: string): boolean => Object.values(newerNames[type] ?? {}).includes(name)

/** The kinds of changes to an object: the words that receivers see, and those of the change log. */

export type Kind = "created" | "updated" | "deleted"

/** As NetBox's change log names it. */
export type Action = "create" | "update" | "delete"

export const actionOf: Readonly<Record<Kind, Action>> = { created: "create", updated: "update", deleted: "delete" }

export const kindOf: Readonly<Record<Action, Kind>> = { create: "created", update: "updated", delete: "deleted" }

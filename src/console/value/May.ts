import { Effect } from "effect"
import { Denied } from "../../auth/Denied.ts"
import { type Action, Clearance } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { isNothing } from "../../inventory/derive/filter/Where.ts"

/** Whether the reader may do an action to some objects of the type on the pages of the console. */
export const pageRights = (type: ObjectType) =>
  Effect.map(
    Clearance,
    ({ where }) =>
      (action: Action): boolean =>
        type.kind === "object" && !type.isReadOnly && !isNothing(where(type, action))
  )

/** The refusal of a page that shows objects of the type to a reader who may view none. */
export const missingView = ({ id }: ObjectType): Denied =>
  new Denied({ reason: "NoPermission", missing: { action: "view", objectType: id } })

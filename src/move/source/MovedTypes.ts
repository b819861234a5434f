/** The object types whose rows are moved: not those that the service writes by itself, but for the ends of cables. */
import type { ObjectType } from "../../inventory/ObjectType.ts"

export const isMoved = ({ kind, isReadOnly, id }: Pick<ObjectType, "kind" | "isReadOnly" | "id">): boolean =>
  id === "dcim.cabletermination" || (kind !== "record" && !isReadOnly)

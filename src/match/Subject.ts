import type { Kind } from "../event/Kind.ts"
import type { Subject as ConditionSubject } from "./Decision.ts"

/** The part of an event that decides which webhooks fire. */
export interface Subject extends ConditionSubject {
  /** Id of the object type. */
  readonly type: string
  readonly kind: Kind
}

/** Decides what a run does with an object, by the changes on both sides. Pure. */

export type Prefer = "source" | "target" | undefined

/** `leave`: both sides stay as they are. `accept`: the target's state counts from now on. */
export type Step = "insert" | "update" | "delete" | "leave" | "accept" | "conflict"

interface BothSides {
  /** The digest of the source's row at the last run; undefined if no run has written the object. */
  readonly last: string | undefined
  /** The digest of now; undefined if the source has the object no more. */
  readonly now: string | undefined
  readonly isHere: boolean
  /** Whether the object was changed or deleted here since the last run. */
  readonly isChangedHere: boolean
  readonly prefer: Prefer
}

export const decide = ({ last, now, isHere, isChangedHere, prefer }: BothSides): Step => {
  // Without a run there is no other object here, but for users of the same name: the source says who they are.
  if (last === undefined) return isHere ? "update" : "insert"
  if (last === now) return "leave"
  if (now === undefined && !isHere) return "accept"
  if ((isChangedHere || !isHere) && prefer !== "source") return prefer === "target" ? "accept" : "conflict"
  if (now === undefined) return "delete"
  return isHere ? "update" : "insert"
}

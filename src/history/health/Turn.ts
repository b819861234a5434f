/** Whether the stored health of a webhook has to turn. Pure. */
import type { HealthState } from "./WebhookHealth.ts"

/** The observed state of a webhook. Times are milliseconds since 1970 on Postgres' clock, if not said otherwise. */
export interface HealthObservation {
  readonly enabled: boolean
  /** As it is stored. */
  readonly health: HealthState
  /** The breakers that opened because attempts failed, in the processes that are alive; null for none. */
  readonly open: { readonly until: number; readonly reason: string } | null
  /** How many deliveries it may have that failed for good, if it has more of them; null if not. */
  readonly exceeded: number | null
  /** When its last attempt began, on the clock of its process; null if none is known. */
  readonly last: { readonly began: number; readonly succeeded: boolean } | null
}

interface Turn {
  readonly health: HealthState
  /** A sentence. */
  readonly why: string
}

/**
 * Why it is failing; undefined if nothing says so now. A breaker whose time was over when an attempt succeeded has been
 * closed: the row of a process that learned of it from another one may be left.
 */
export const failureOf = ({ open, exceeded, last }: HealthObservation): string | undefined => {
  const isClosed = open !== null && last?.succeeded === true && last.began > open.until
  if (open !== null && !isClosed) return open.reason === "" ? "The receiver fails." : open.reason
  return exceeded === null ? undefined : `More than ${exceeded} deliveries have failed for good.`
}

/** `isCalm`: nothing has said for a while that it is failing. */
export const turnOf = (observed: HealthObservation, isCalm: boolean): Turn | undefined => {
  const { enabled, health, last } = observed
  if (!enabled) return health === "stopped" ? undefined : { health: "stopped", why: "It is disabled." }
  const why = failureOf(observed)
  if (why !== undefined) return health === "failing" ? undefined : { health: "failing", why }
  if (health === "stopped") return { health: "healthy", why: "It is enabled." }
  const isWell = health === "failing" && last?.succeeded === true && isCalm
  return isWell ? { health: "healthy", why: "The receiver accepts deliveries again." } : undefined
}

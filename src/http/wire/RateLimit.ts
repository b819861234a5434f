/** How often a user may ask for what costs much: so many at once, and then as many as come back with time. */
import { Clock, Effect } from "effect"
import { HttpRefused } from "../HttpRefused.ts"
import type { Request } from "../Route.ts"

export interface Rate {
  /** Requests at once. */
  readonly burst: number
  readonly perSecond: number
}

/** Refuses a request that comes too soon. Counts in this process alone. */
export const rateLimit = ({ burst, perSecond }: Rate): ((request: Request) => Effect.Effect<void, HttpRefused>) => {
  const buckets = new Map<number, { left: number; at: number }>()
  return Effect.fnUntraced(function* ({ principal }: Request) {
    const now = yield* Clock.currentTimeMillis
    const user = principal.user?.id ?? 0
    const { left, at } = buckets.get(user) ?? { left: burst, at: now }
    const have = Math.min(burst, left + (Math.max(0, now - at) / 1000) * perSecond)
    buckets.set(user, { left: have < 1 ? have : have - 1, at: now })
    if (have >= 1) return
    return yield* throttled(Math.ceil((1 - have) / perSecond))
  })
}

/** 429: not before so many seconds. */
export const throttled = (seconds: number): HttpRefused =>
  new HttpRefused({
    reason: "Throttled",
    body: {
      detail: `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? "" : "s"}.`
    },
    headers: { "retry-after": String(seconds) }
  })

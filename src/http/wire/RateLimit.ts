/** Rate limit per user for expensive requests: a token bucket. */
import { Clock, Effect } from "effect"
import { HttpRefused } from "../HttpRefused.ts"
import type { Request } from "./Request.ts"

interface Rate {
  /** Most requests at once. */
  readonly burst: number
  readonly perSecond: number
}

/** Makes a limiter, which fails with 429 if a user's bucket is empty. It counts this process's requests only. */
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

/** 429 with the time after which the client may try again. */
export const throttled = (seconds: number): HttpRefused =>
  new HttpRefused({
    reason: "Throttled",
    body: {
      detail: `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? "" : "s"}.`
    },
    headers: { "retry-after": String(seconds) }
  })

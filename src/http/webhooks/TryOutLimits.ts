/** Limits how often users try out templates and conditions, and how many templates are rendered at once. */
import { Context, Effect, Layer } from "effect"
import { HttpRefused } from "../HttpRefused.ts"
import type { Request } from "../wire/Request.ts"
import { rateLimit } from "../wire/RateLimit.ts"

/** A rendering takes at most a quarter of a second, so one user takes at most half a worker in the long run. */
const rate = { burst: 20, perSecond: 2 }

/** Most renderings under way or waiting: of one user, and of all users together. */
const renderingsPerUser = 4
const renderingsMax = 32

export class TryOutLimits extends Context.Service<
  TryOutLimits,
  {
    /** Fails with 429 if the user sends requests too often. */
    readonly limited: (request: Request) => Effect.Effect<void, HttpRefused>
    /** Renders for the user, who owns the work; fails with 503 if too many renderings are under way. */
    readonly inTurn: <A, E, R>(
      request: Request,
      render: (owner: string) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | HttpRefused, R>
  }
>()("rackwire/http/TryOutLimits") {
  static readonly layer = Layer.sync(TryOutLimits, () => {
    const byUser = new Map<number, number>()
    return TryOutLimits.of({
      limited: rateLimit(rate),
      inTurn: ({ principal }, render) =>
        Effect.gen(function* () {
          const user = principal.user?.id ?? 0
          const own = byUser.get(user) ?? 0
          const all = [...byUser.values()].reduce((sum, count) => sum + count, 0)
          if (own >= renderingsPerUser || all >= renderingsMax) return yield* tooMany()
          byUser.set(user, own + 1)
          const leave = Effect.sync(() => {
            const left = (byUser.get(user) ?? 1) - 1
            if (left === 0) byUser.delete(user)
            else byUser.set(user, left)
          })
          return yield* Effect.ensuring(render(`user ${user}`), leave)
        })
    })
  })
}

const tooMany = () => {
  const body = { detail: "Too many templates are being rendered. Try again in a second." }
  return new HttpRefused({ reason: "Busy", body, headers: { "retry-after": "1" } })
}

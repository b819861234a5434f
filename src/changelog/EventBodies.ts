/**
 * Bodies of long events. Their entries have no body: it is loaded from the change log for each attempt.
 *
 * Attempts of one event share one copy. Memory is bounded: an attempt waits until there is room for its body, and a
 * single webhook gets only a part of the room, so that a slow receiver does not take all of it.
 */
import { Context, Effect, Layer, RcMap, Result, type Scope, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { paused } from "../eventloop/Pace.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import type { Delivery } from "../event/Delivery.ts"
import { eventBody } from "../event/Event.ts"
import { type LoggedEvent, eventOf, loggedEvent } from "./LoggedEvent.ts"
import type { Failure } from "../event/Outcome.ts"
import { withHidden } from "./SeenEvents.ts"

/** A delivery with its body. */
export interface DeliveryWithBody extends Delivery {
  /** The event as UTF-8, where attempts share it. */
  readonly bytes?: Buffer
  /** For its templates: the config context of the machine as JSON text (webhook/ConfigContexts.ts). */
  readonly configContext?: string
}

/** Characters of bodies in memory for attempts, of all webhooks and of one. */
const roomChars = 32 << 20
const webhookChars = roomChars / 4

/** Characters of bodies that are rendered, until their attempts end: a rendered text is not shared. */
const renderedChars = 32 << 20

/** Longest event that is sent, characters of its JSON. */
const eventCharsMax = 16 << 20

/** Bodies that are read from Postgres at once: while it is read, each takes several times its room. */
const loadsMax = 2

/** How long a body is kept after its last attempt: other webhooks may be about to attempt the same event. */
const keptFor = "1 second"

export class EventBodies extends Context.Service<
  EventBodies,
  {
    /** Runs an attempt with the delivery and its body, or with the reason why there is no body. */
    readonly use: <A, E, R>(
      delivery: Delivery,
      /** Whether the webhook has templates, which need the body as a text. */
      isRendered: boolean,
      attempt: (delivery: Result.Result<DeliveryWithBody, Failure>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("rackwire/changelog/EventBodies") {
  static readonly layer = Layer.effect(
    EventBodies,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const room = yield* Semaphore.make(roomChars)
      const rendered = yield* Semaphore.make(renderedChars)
      const loads = yield* Semaphore.make(loadsMax)
      const bodies = yield* RcMap.make({
        lookup: (key: string) => {
          const place = readKey(key)
          const chars = Math.min(place.chars, roomChars)
          return Effect.andThen(room.takeScoped(chars), loads.withPermit(load(sql, place)))
        },
        idleTimeToLive: keptFor
      })
      const shares = yield* RcMap.make({ lookup: (_webhook: number) => Semaphore.make(webhookChars) })
      const usesLong = <A, E, R>(
        delivery: Delivery,
        chars: number,
        isRendered: boolean,
        attempt: (delivery: Result.Result<DeliveryWithBody, Failure>) => Effect.Effect<A, E, R>
      ): Effect.Effect<A, E, R | Scope.Scope> =>
        Effect.gen(function* () {
          const share = yield* RcMap.get(shares, delivery.webhook)
          const whole = Effect.gen(function* () {
            const bytes = yield* RcMap.get(bodies, keyOf(delivery, chars))
            if (bytes === undefined) return yield* attempt(Result.fail(expired))
            if (!isRendered) return yield* attempt(Result.succeed({ ...delivery, bytes }))
            const withText = Effect.suspend(() =>
              attempt(Result.succeed({ ...delivery, body: bytes.toString(), bytes }))
            )
            return yield* rendered.withPermits(Math.min(chars, renderedChars))(withText)
          })
          return yield* share.withPermits(Math.min(chars, webhookChars))(whole)
        })
      return EventBodies.of({
        use: (delivery, isRendered, attempt) => {
          const { chars } = delivery
          if (chars === undefined) return attempt(Result.succeed(delivery))
          if (chars > eventCharsMax) return attempt(Result.fail(oversize(chars)))
          return Effect.scoped(usesLong(delivery, chars, isRendered, attempt))
        }
      })
    })
  )
}

/** Which body of the change log it is. */
interface Place {
  readonly position: string
  readonly idx: string
  readonly time: string
  readonly chars: number
  /** Keys of what it does not show. */
  readonly hidden: ReadonlyArray<string>
}

const keyOf = ({ position, idx, time, hidden = [] }: Delivery, chars: number): string =>
  JSON.stringify({ position, idx: `${idx}`, time, chars, hidden } satisfies Place)

const readKey = (key: string): Place => JSON.parse(key) as Place

/** The body, or undefined if the change log no longer has it. Tries until Postgres answers. */
const load = (sql: SqlClient.SqlClient, place: Place): Effect.Effect<Buffer | undefined> =>
  sql
    .unsafe<LoggedEvent>(
      `select ${loggedEvent} from extras_objectchange c
        where c.position = $1::text::bigint and c.idx = $2::text::bigint and c.time = $3::text::timestamptz`,
      [place.position, place.idx, place.time]
    )
    .pipe(
      Effect.map(([event]) =>
        event === undefined ? undefined : Buffer.from(eventBody(eventOf(withHidden(event, place.hidden))))
      ),
      Effect.catch((error) =>
        Effect.logWarning(`deliver: an event cannot be loaded, trying again: ${inWords(error)}`).pipe(
          Effect.andThen(paused(({ deliver }) => deliver.retryMillis)),
          Effect.andThen(Effect.suspend(() => load(sql, place)))
        )
      )
    )

const expired: Failure = {
  reason: "Expired",
  message: "The change log no longer holds this event: it is older than CHANGELOG_RETENTION."
}

const oversize = (chars: number): Failure => ({
  reason: "Oversize",
  message: `The event is ${chars} characters long; at most ${eventCharsMax} are sent.`
})

/**
 * Retry and discard of one delivery, each allowed or refused by its state.
 *
 * The state is read under a lock on the row, so of two requests at the same time one is refused.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { openBreakerOf } from "../log/BreakerTable.ts"
import { askForDiscard } from "./Discard.ts"
import { type HoldReason, type Surroundings, heldBy } from "../history/health/Held.ts"
import { askForRetry } from "./RetryByHand.ts"
import { sendingTable } from "./Sending.ts"

/** The action makes no sense in the delivery's state. Nothing was changed. */
export class ActionRefused extends Schema.TaggedError<ActionRefused>()("ActionRefused", {
  reason: Schema.Literals(["Deleted", "Discarded", "Queued", "Due", "Unlogged", "Succeeded", "Attempted", "Gone"]),
  message: Schema.String
}) {}

export interface DeliveryState extends Surroundings {
  readonly status: string
  readonly attempts: number
  /** Whether its next attempt is due: it is under way, or begins within a second. */
  readonly isDue: boolean
  /** Whether the change log has its event. */
  readonly isLogged: boolean
}

/** The state that the user saw before the request. */
interface RetryWish {
  /** Whether the user knows that the delivery has succeeded, and wants it to be sent again. */
  readonly again?: boolean
  /** The number of attempts that the user saw; undefined where it does not matter. */
  readonly attempts?: number | undefined
}

const refuse = (reason: ActionRefused["reason"], message: string) => new ActionRefused({ reason, message })

/** Why a retry makes no sense; undefined if it may be requested. Pure. */
export const retryRefusal = (state: DeliveryState, { again, attempts }: RetryWish = {}): ActionRefused | undefined => {
  const { status, webhook } = state
  if (webhook === "deleted") return refuse("Deleted", "The webhook of this delivery was deleted.")
  if (status === "discarded") {
    return refuse("Discarded", "The delivery was discarded. A replay of its webhook sends the change again.")
  }
  if (status === "queued") return refuse("Queued", `A retry was requested already. ${soon(state)}`)
  if (status === "sending" || (status === "retrying" && state.isDue && heldBy(state)?.by !== "breaker")) {
    const where = webhook === "active" ? "It is being attempted now, or is about to be." : "It is due."
    return refuse("Due", `${where} ${soon(state)}`)
  }
  if (!state.isLogged) {
    return refuse("Unlogged", "The change log does not hold the event, so nothing is left that could be sent.")
  }
  if (attempts !== undefined && attempts !== state.attempts) {
    return refuse("Attempted", `It was attempted meanwhile: there are ${state.attempts} attempts now, not ${attempts}.`)
  }
  if (status === "successful" && again !== true) {
    return refuse("Succeeded", "The receiver has accepted it. Confirm that it is to be sent again.")
  }
  return undefined
}

const soon = ({ webhook }: DeliveryState): string =>
  webhook === "active" ? "Wait for the outcome." : `It is sent when its webhook is no longer ${webhook}.`

/** Why a discard makes no sense; undefined if it may be requested. Pure. */
export const discardRefusal = ({ status }: Pick<DeliveryState, "status">): ActionRefused | undefined => {
  if (status === "successful") return refuse("Succeeded", "The receiver has accepted it: there is nothing to discard.")
  return status === "discarded" ? refuse("Discarded", "The delivery was discarded already.") : undefined
}

/** The reason why the delivery is not attempted; undefined if there is none, or if it is not due. Pure. */
export const heldNow = (state: DeliveryState): HoldReason | undefined =>
  state.status === "queued" || (state.status === "retrying" && state.isDue) ? heldBy(state) : undefined

interface FoundState extends Pick<DeliveryState, "status" | "webhook" | "breaker"> {
  readonly sending_paused: boolean
  readonly attempts: string
  readonly due: boolean
  readonly logged: boolean
}

/** The state of a delivery; undefined if there is none of this id. */
export const deliveryState = Effect.fnUntraced(function* (id: number, lock: "" | "for update of d" = "") {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql.unsafe<FoundState>(
    // The clocks of Postgres and Redis may differ a little: an attempt that begins within a second counts as begun.
    `select d.status, d.attempts::text as attempts,
            coalesce(d.next_attempt, '-infinity') <= now() + interval '1 second' as due,
            case when w.id is null then 'deleted' when not w.enabled then 'disabled' when w.paused then 'paused'
                 else 'active' end as webhook,
            ${yield* openBreakerOf("d.webhook_id")} as breaker, exists (select from ${sendingTable.name}) as sending_paused,
            exists (select from extras_objectchange c
                     where c.position = d.position and c.idx = d.idx and c.time = d.time) as logged
       from extras_delivery d left join extras_webhook w on w.id = d.webhook_id where d.id = $1::bigint ${lock}`,
    [`${id}`]
  )
  if (found === undefined) return undefined
  const { status, webhook, breaker, sending_paused: isSendingPaused, attempts, due, logged } = found
  const around = { webhook, breaker, isSendingPaused }
  return { ...around, status, attempts: Number(attempts), isDue: due, isLogged: logged } satisfies DeliveryState
})

/** Runs the action on a delivery in a state that allows it; returns that state. Fails with ActionRefused. */
const actOn = <E, R>(
  id: number,
  refusal: (state: DeliveryState) => ActionRefused | undefined,
  act: Effect.Effect<unknown, E, R>
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const state = yield* deliveryState(id, "for update of d")
        if (state === undefined) return yield* refuse("Gone", "The delivery log no longer holds this delivery.")
        const refused = refusal(state)
        if (refused !== undefined) return yield* refused
        yield* act
        return state
      })
    )
  )

/** Requests another attempt of the delivery, now. It replaces the attempt that is scheduled. */
export const retryOne = (id: number, wish: RetryWish = {}) =>
  actOn(id, (state) => retryRefusal(state, wish), askForRetry([id]))

/** Discards the delivery; an attempt in flight continues. */
export const discardOne = (id: number) => actOn(id, discardRefusal, askForDiscard([id]))

/** The attempts of a delivery as the log has them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { everyAttempt } from "../../inventory/AttemptLog.ts"
import { userInformation } from "../../inventory/field/hidden/UserInformation.ts"
import { headersOf } from "../../webhook/HeaderText.ts"
import type { Phases } from "../../event/Outcome.ts"

type Header = ReturnType<typeof headersOf>[number]

export interface LoggedAttempt {
  /** From 1. */
  readonly number: number
  /** ISO 8601. */
  readonly started: string
  readonly duration_ms: number
  /** Steps of the attempt, milliseconds each; null where there was no request. */
  readonly phases: { readonly [_ in keyof Phases]?: number } | null
  readonly url: string
  readonly response_status: number | null
  /** Its beginning; "" where it was not requested. */
  readonly response_body: string
  readonly reason: string
  readonly message: string
  /** None where no request was sent. */
  readonly request_headers: ReadonlyArray<Header>
  readonly response_headers: ReadonlyArray<Header>
}

interface FoundAttempt {
  readonly attempt: Omit<LoggedAttempt, "request_headers" | "response_headers">
  readonly request_headers: string
  readonly response_headers: string
  readonly is_of_several: boolean
}

/** An attempt, and whether its request had, or may have had, other deliveries of a batch. */
interface FoundInLog {
  readonly attempt: LoggedAttempt
  readonly isOfSeveral: boolean
}

/** The key of a delivery in the log; the time leaves out the days of others. */
export interface DeliveryKey {
  readonly delivery_id: string
  readonly time: string
}

export interface WantedAttempts {
  /** The attempt whose headers and body are read; absent for all. */
  readonly whole?: number
  /** Most attempts, the newest, beside the one that is read whole; absent for all. */
  readonly most?: number
}

/** SQL: whether the headers name a batch of several, or were cut where they might. */
const isOfSeveral = String.raw`(a.request_headers ~ '(^|\n)x-hook-batch-size: (?!1\n)' or right(a.request_headers, 2) = E'…\n')`

/** The attempts of a delivery as the log has them, the oldest first: for readers who may see all of them. */
export const loggedAttempts = Effect.fnUntraced(function* (
  { delivery_id: id, time }: DeliveryKey,
  { whole, most }: WantedAttempts = {}
) {
  const sql = yield* SqlClient.SqlClient
  const text = (column: string) =>
    whole === undefined ? column : `case when number = ${Number(whole)} then ${column} else '' end`
  const newest =
    most === undefined
      ? ""
      : ` and (number = ${Number(whole ?? 0)} or number > (select coalesce(max(number), 0) - ${Number(most)}
            from ${everyAttempt} b where delivery_id = $1 and time = $2::timestamptz))`
  const rows = yield* sql.unsafe<FoundAttempt>(
    `select json_build_object('number', number, 'started', started, 'duration_ms', duration_ms, 'phases', phases,
              'url', url, 'response_status', response_status, 'response_body', ${text("response_body")},
              'reason', reason, 'message', message) as attempt,
            ${text("request_headers")} as request_headers, ${text("response_headers")} as response_headers,
            ${isOfSeveral} as is_of_several
       from ${everyAttempt} a where delivery_id = $1 and time = $2::timestamptz${newest} order by number`,
    [id, time]
  )
  return rows.map(({ attempt, request_headers, response_headers, is_of_several }): FoundInLog => ({
    attempt: {
      ...attempt,
      // Earlier versions logged user information.
      url: userInformation.hide(attempt.url).shown,
      request_headers: headersOf(request_headers),
      response_headers: headersOf(response_headers)
    },
    isOfSeveral: is_of_several
  }))
})

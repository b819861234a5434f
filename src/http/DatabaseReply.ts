/** Answers to requests that the database could not answer: whose fault it is, and when to try again. */
import type { SqlError } from "effect/sql"
import { sqlStateOf } from "../postgres/Postgres.ts"
import { ReplyTooLarge, TooManyLargeReplies } from "../postgres/ReplyLimit.ts"
import { TooMany } from "../postgres/RequestSql.ts"
import type { Reply } from "./Route.ts"

/** When a client may try again. */
const retrySeconds = 5

/** Headers of an answer that a store kept from being made. */
export const retryHeaders = { "retry-after": `${retrySeconds}` }

const unavailable = (detail: string): Reply => ({ status: 503, json: { detail }, headers: retryHeaders })

/**
 * SQLSTATEs of a database that cannot be reached or does not work now: connection (08), credentials (28), a missing
 * database (3D000), no memory, space or connections (53), an idle transaction that was ended (25P0…), a start, a stop
 * or a crash (57P0…), a broken disk (58).
 */
const unavailableState = /^(?:08|28|3D000|53|25P0|57P0|58)/

/** SQLSTATE of a standby, or of a database that was made read-only. */
const readOnlyState = "25006"

/** SQLSTATEs of transactions that lost against others each time that they were tried. */
const conflictStates: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"])

/** The answer to a request that failed with this error; undefined if the fault is our own. */
export const databaseReply = (error: SqlError.SqlError, url: string): Reply | undefined => {
  const { reason } = error
  if (isWrongPattern(error)) return { status: 400, json: { detail: "Enter a valid regular expression." } }
  if (reason.cause instanceof ReplyTooLarge) {
    return {
      status: 413,
      json: { detail: `${reason.cause.message} Request fewer objects at a time (limit), or export.` }
    }
  }
  if (reason.cause instanceof TooManyLargeReplies) return unavailable(`${reason.cause.message} Try again in a moment.`)
  const state = sqlStateOf(error) ?? ""
  if (state === noConnectionLeft) return unavailable("The database has no connection left.")
  if (reason._tag === "ConnectionError" || reason._tag === "AuthenticationError" || unavailableState.test(state)) {
    return unavailable("The database is not available.")
  }
  if (state === readOnlyState) return unavailable("The database takes no writes.")
  if (reason.cause instanceof TooMany) return unavailable(`${reason.cause.message} Try again in a moment.`)
  if (reason._tag === "StatementTimeoutError") {
    return asksByPattern(url)
      ? { status: 400, json: { detail: "The regular expression takes too long to evaluate. Make it simpler." } }
      : unavailable("The query takes too long. Request less at a time, or use other filters.")
  }
  return conflictStates.has(state) ? unavailable("Others are writing the same objects.") : undefined
}

/** SQLSTATE: the limit of the server, the database or the role is reached. */
const noConnectionLeft = "53300"

/** Whether Postgres, by its own rules, refuses a pattern. */
export const isWrongPattern = (error: SqlError.SqlError): boolean => sqlStateOf(error) === "2201B"

/** Whether the query itself compares with a regular expression. */
const asksByPattern = (url: string): boolean => /[?&][^=&]*regex(=|&|$)/.test(url)

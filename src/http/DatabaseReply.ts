/** Answers to requests that the database could not answer: whose fault it is, and when to try again. */
import type { SqlError } from "effect/sql"
import { sqlStateOf } from "../postgres/Postgres.ts"
import { ReplyTooLarge, TooManyLargeReplies } from "../postgres/ReplyLimit.ts"
import { TooMany } from "../postgres/RequestSql.ts"
import type { Reply } from "./Route.ts"

/** When a client may try again. */
const retrySeconds = 5

const unavailable = (detail: string): Reply => ({
  status: 503,
  json: { detail },
  headers: { "retry-after": `${retrySeconds}` }
})

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
  if (reason._tag === "ConnectionError") return unavailable("The database is not available.")
  if (reason.cause instanceof TooMany) return unavailable(`${reason.cause.message} Try again in a moment.`)
  if (reason._tag === "StatementTimeoutError") {
    return asksByPattern(url)
      ? { status: 400, json: { detail: "The regular expression takes too long to evaluate. Make it simpler." } }
      : unavailable("The query takes too long. Request less at a time, or use other filters.")
  }
  return reason._tag === "LockTimeoutError" ? unavailable("Others are writing the same objects.") : undefined
}

/** Whether Postgres, by its own rules, refuses a pattern. */
export const isWrongPattern = (error: SqlError.SqlError): boolean => sqlStateOf(error) === "2201B"

/** Whether the query itself compares with a regular expression. */
const asksByPattern = (url: string): boolean => /[?&][^=&]*regex(=|&|$)/.test(url)

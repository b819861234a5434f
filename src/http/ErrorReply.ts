/** Answers to requests that were refused or failed. */
import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql"
import { Denied } from "../auth/Denied.ts"
import { databaseReply } from "./DatabaseReply.ts"
import { itemErrors } from "./objects/ItemErrors.ts"
import type { Refusal, Reply } from "./Route.ts"

export const replyTo = (refusal: Refusal, url: string, requestId: string): Effect.Effect<Reply> => {
  switch (refusal._tag) {
    case "Denied":
      return Effect.succeed({ status: 403, json: { detail: refusal.detail } })
    case "OutOfBounds":
      return Effect.succeed({ status: 403, json: { detail: new Denied({ reason: "NoPermission" }).detail } })
    case "HttpRefused":
      return Effect.succeed({ status: refusal.status, json: refusal.body, headers: refusal.headers ?? {} })
    case "Protected":
      return Effect.succeed({ status: 409, json: { detail: refusal.detail } })
    case "WriteRefused":
      return Effect.succeed({ status: 400, json: itemErrors(refusal.errors) })
    case "SqlError":
      return failed(Cause.fail(refusal), url, requestId)
  }
}

/**
 * The answer to a request that failed: that of the database's error, also where a transaction could not even be rolled
 * back and ended as a defect. Other errors are in the log, and the answer has only the id of the request.
 */
export const failed = (cause: Cause.Cause<unknown>, url: string, requestId: string): Effect.Effect<Reply> => {
  const errors = cause.reasons.map((reason) =>
    Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
  )
  const ofDatabase = errors.find((error) => SqlError.isSqlError(error))
  const reply = ofDatabase && databaseReply(ofDatabase, url)
  if (reply !== undefined) return Effect.succeed(reply)
  return Effect.as(Effect.logError(`request ${requestId} failed`, cause), {
    status: 500,
    json: { error: "Internal server error", exception: "", request_id: requestId }
  })
}

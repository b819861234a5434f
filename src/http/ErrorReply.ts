/** Answers to requests that were refused or failed. */
import { Cause, Effect } from "effect"
import { Denied } from "../auth/Denied.ts"
import { databaseReply } from "./DatabaseReply.ts"
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
      return Effect.succeed({ status: 400, json: refusal.errors })
    case "SqlError": {
      const reply = databaseReply(refusal, url)
      return reply === undefined ? unexpected(Cause.fail(refusal), requestId) : Effect.succeed(reply)
    }
  }
}

/** The answer to an error that nobody foresaw: the log tells it, and the answer only the id of the request. */
export const unexpected = (cause: Cause.Cause<unknown>, requestId: string): Effect.Effect<Reply> =>
  Effect.as(Effect.logError(`request ${requestId} failed`, cause), {
    status: 500,
    json: { error: "Internal server error", exception: "", request_id: requestId }
  })

/**
 * Sends the requests of a webhook with its identity: with a token by OAuth 2.0 where it wants one. The rest of an
 * identity is in the address and in the connections.
 *
 * Guarantees: an attempt of a webhook without a token does nothing here but to send.
 */
import { Effect } from "effect"
import type { Definition } from "./Definition.ts"
import type { WebhookClient } from "./Connected.ts"
import type { Outgoing } from "../transport/Outgoing.ts"
import { sending } from "../transport/Send.ts"
import { type Answer, Unsendable } from "../event/Outcome.ts"
import type { AccessTokens } from "./identity/AccessTokens.ts"

/** A request as it was sent, with its token, and the answer. */
type Exchange = readonly [request: Outgoing, answer: Answer]

/** Sends the request, with a token if the webhook has one; fails where no token is to be had. */
export const sendAs = (
  outgoing: Outgoing,
  { definition: { timeoutMillis }, connections, tokens }: WebhookClient,
  nowMillis: number
): Effect.Effect<Exchange, Unsendable> =>
  tokens === undefined
    ? Effect.map(sending(outgoing, connections, timeoutMillis, nowMillis), (answer) => [outgoing, answer])
    : sendWithToken(outgoing, { connections, timeoutMillis }, tokens, nowMillis)

/** A token that the receiver refuses is renewed once. All of it together has the time of one attempt. */
const sendWithToken = Effect.fnUntraced(function* (
  outgoing: Outgoing,
  { connections, timeoutMillis }: Pick<WebhookClient, "connections"> & Pick<Definition, "timeoutMillis">,
  tokens: AccessTokens,
  nowMillis: number
) {
  const begun = performance.now()
  const leftMillis = () => Math.max(Math.round(begun + timeoutMillis - performance.now()), 1)
  const sendWith = (token: string) => {
    const bearing = { ...outgoing, headers: { ...outgoing.headers, authorization: `Bearer ${token}` } }
    const answered = (answer: Answer): Exchange => [bearing, answer]
    return Effect.map(sending(bearing, connections, leftMillis(), nowMillis), answered)
  }
  const first = yield* tokens.get(leftMillis())
  if (first.failure !== undefined) return yield* new Unsendable({ failure: first.failure })
  const answered = yield* sendWith(first.token)
  const [sent, answer] = answered
  if (answer.response?.status !== 401 || answer.failure?.reason !== "Status") return answered
  const second = yield* tokens.renew(first.token, leftMillis())
  if (second.failure !== undefined) {
    const message = `The receiver refused the token with 401. ${second.failure.message}`
    return [sent, { ...answer, failure: { ...second.failure, message } }] satisfies Exchange
  }
  return second.token === first.token ? answered : yield* sendWith(second.token)
})

/**
 * The access token of a webhook in one process: fetched when an attempt needs it, kept in memory until shortly before
 * it expires, and renewed when a receiver refuses it.
 *
 * Guarantees: one request to the token endpoint at a time, and none within a second after the last one ended: attempts
 * share its token, and its failure. The endpoint is reached as the receiver is, under the same target policy, proxy and
 * TLS, with connections of its own.
 */
import { Clock, Effect, Fiber } from "effect"
import { type ConnectionOptions, openConnections } from "../../transport/Connector.ts"
import { sending } from "../../transport/Send.ts"
import { type OAuthClient, type TokenAnswer, noToken, tokenAnswer, tokenRequest } from "./TokenRequest.ts"

/** Least time from the end of one request to the next, milliseconds. */
const restMillis = 1000

export class AccessTokens {
  readonly madeFrom: string
  private readonly client: OAuthClient
  private readonly target: ConnectionOptions
  private held: { readonly answer: TokenAnswer; readonly at: number } | undefined
  private asking: Fiber.Fiber<TokenAnswer> | undefined

  /** `madeFrom` has all that the client and the target were made from. */
  constructor(client: OAuthClient, target: ConnectionOptions, madeFrom: string) {
    this.client = client
    this.target = target
    this.madeFrom = madeFrom
  }

  /** The token that is kept, or a new one within the time. */
  get(withinMillis: number): Effect.Effect<TokenAnswer> {
    return Effect.suspend(() => {
      const kept = this.kept()
      return kept === undefined ? this.ask(withinMillis) : Effect.succeed(kept)
    })
  }

  /** Another token than this one, which a receiver has refused; the same one if it is too early for another request. */
  renew(refused: string, withinMillis: number): Effect.Effect<TokenAnswer> {
    return Effect.suspend(() => {
      const { held } = this
      if (held?.answer.token === refused && performance.now() - held.at >= restMillis) this.held = undefined
      return this.get(withinMillis)
    })
  }

  private kept(): TokenAnswer | undefined {
    if (this.held === undefined) return undefined
    const { answer, at } = this.held
    const lifeMillis = answer.failure === undefined ? Math.max(answer.lifeMillis, restMillis) : restMillis
    return performance.now() - at < lifeMillis ? answer : undefined
  }

  private ask(withinMillis: number): Effect.Effect<TokenAnswer> {
    return Effect.timeoutOrElse(
      // In no attempt's fiber: one whose time is over must not end the request that others wait for.
      Effect.suspend(() => Fiber.join((this.asking ??= Effect.runFork(this.request)))),
      {
        duration: withinMillis,
        orElse: () => Effect.succeed(noToken(`The token endpoint gave no token within ${withinMillis} ms.`))
      }
    )
  }

  private readonly request: Effect.Effect<TokenAnswer> = Effect.suspend(() => {
    const connections = openConnections(this.target)
    return Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) => sending(tokenRequest(this.client), connections, this.target.timeoutMillis, now)),
      Effect.map((sent) => {
        const answer = tokenAnswer(sent)
        this.held = { answer, at: performance.now() }
        return answer
      }),
      Effect.ensuring(
        Effect.promise(async () => {
          await connections.clients.destroy()
          this.asking = undefined
        })
      )
    )
  })
}

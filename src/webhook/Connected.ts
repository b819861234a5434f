/**
 * A webhook's definition, with connections of its own: nobody else's slow receiver takes them. A changed definition
 * gets new connections, since TLS, proxy and their number may differ; attempts that began before keep the old ones.
 */
import { Effect, Exit, Scope } from "effect"
import { paused } from "../eventloop/Pace.ts"
import { type Connections, openConnections } from "../transport/Connector.ts"
import { isRendered } from "./Request.ts"
import { AccessTokens } from "./identity/AccessTokens.ts"
import { type Definition, type UnusableWebhook, unusable } from "./Definition.ts"

export interface WebhookClient {
  readonly definition: Definition
  readonly connections: Connections
  /** Whether a part of its requests is a template. */
  readonly isRendered: boolean
  /** Undefined where the receiver wants no token. */
  readonly tokens: AccessTokens | undefined
}

export interface ConnectedWebhook {
  readonly current: () => WebhookClient
  readonly redefine: (definition: Definition) => Effect.Effect<void, UnusableWebhook>
}

/**
 * The tokens of a webhook's definition, undefined where it needs none; those of the one before it if they are still
 * valid.
 */
const tokensOf = ({ identity, target }: Definition, before: AccessTokens | undefined): AccessTokens | undefined => {
  if (identity.oauth === undefined) return undefined
  const { madeFrom } = identity.oauth
  return before?.madeFrom === madeFrom ? before : new AccessTokens(identity.oauth, target, madeFrom)
}

/** The webhook for the scope; at its end requests that are still under way are cut off. */
export const makeConnected = Effect.fnUntraced(function* (first: Definition) {
  const life = yield* Scope.fork(yield* Effect.scope, "parallel")
  const connect = (definition: Definition, before?: WebhookClient) =>
    Effect.gen(function* () {
      const connections = yield* Effect.try({
        try: () => openConnections(definition.target),
        catch: (cause) => unusable(definition.id, cause)
      })
      const scope = yield* Scope.fork(life)
      yield* Scope.addFinalizer(
        scope,
        Effect.promise(() => connections.clients.destroy())
      )
      const tokens = tokensOf(definition, before?.tokens)
      return { definition, connections, isRendered: isRendered(definition), tokens, scope }
    }).pipe(Effect.uninterruptible)
  let current = yield* connect(first)
  const redefine = Effect.fnUntraced(function* (definition: Definition) {
    const { connections, scope } = current
    current = yield* connect(definition, current)
    // Not at once: a request that is being rendered is still to be sent on them.
    const close = paused(({ deliver }) => deliver.graceMillis).pipe(
      Effect.andThen(Effect.promise(() => connections.clients.close())),
      Effect.andThen(Scope.close(scope, Exit.void))
    )
    yield* Effect.forkIn(close, life)
  })
  return { current: () => current, redefine } satisfies ConnectedWebhook
})

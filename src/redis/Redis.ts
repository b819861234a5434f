/** Connections to Redis. */
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { Cluster, Redis as Client, type RedisOptions } from "ioredis"
import { reveal } from "../Config.ts"
import { Pace, type PaceValues } from "../eventloop/Pace.ts"
import { Servers } from "../embedded/Servers.ts"
import { Unreachable, open } from "./Connection.ts"
import { errorReply } from "./ErrorReply.ts"
import { Installation } from "./Installation.ts"
import { redisAddressOf } from "./RedisUrl.ts"

export { Client }

/** A command failed. `mayRetry`: the server could not be reached or was temporarily unable to run it. */
export class RedisError extends Schema.TaggedError<RedisError>()("RedisError", {
  reason: Schema.Literals(["Unavailable", "Command"]),
  message: Schema.String
}) {
  get mayRetry(): boolean {
    return this.reason === "Unavailable"
  }
}

/**
 * Error replies for a temporary state of the server, or to a client that it does not let in; others mean that the command
 * is wrong.
 */
const passing =
  /^(LOADING|BUSY|OOM|MISCONF|READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|NOREPLICAS|NOAUTH|WRONGPASS|ERR max number of clients)/

/** Bugs of ours in the handling of a reply; they must not count as an unavailable server. */
const isDefect = (error: unknown): boolean => error instanceof TypeError || error instanceof SyntaxError

const toRedisError = (error: unknown): RedisError => {
  if (error instanceof RedisError) return error
  const { name, message: given } = error as Error
  const message = errorReply(given)
  const wrong = !(error instanceof Unreachable) && name === "ReplyError" && !passing.test(message)
  return new RedisError({ reason: wrong ? "Command" : "Unavailable", message })
}

/** Longest wait for any reply, milliseconds: longer than `socketTimeout`. */
const answerMillis = 30_000

/** Limits the wait, because a command on a connection that died may never complete. */
const answered = <A>(run: () => Promise<A>): Promise<A> => {
  const { promise, resolve, reject } = Promise.withResolvers<A>()
  const message = `no answer from Redis for ${answerMillis} ms`
  const timer = setTimeout(() => reject(new RedisError({ reason: "Unavailable", message })), answerMillis)
  run()
    .then(resolve, reject)
    .finally(() => clearTimeout(timer))
  return promise
}

/** Runs a command or pipeline as an effect. */
export const command = <A>(run: () => Promise<A>): Effect.Effect<A, RedisError> =>
  Effect.catch(Effect.tryPromise({ try: () => answered(run), catch: (error) => error }), (error) =>
    isDefect(error) ? Effect.die(error) : Effect.fail(toRedisError(error))
  )

/** Commands fail soon if the server is unavailable; the caller decides about a retry. */
const optionsFor = ({ redisStepMillis, redisMaxMillis, silenceMillis }: PaceValues["servers"]) =>
  ({
    // With RESP 2 the replies of all server versions have the same structure.
    protocol: 2,
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    connectTimeout: 5000,
    // A connection that owes a reply for this long is dead, even if TCP still considers it open.
    socketTimeout: silenceMillis,
    // An idle connection, as of a subscriber, is probed by TCP keep-alive after this time.
    keepAlive: 10_000,
    retryStrategy: (times: number) => Math.min(times * redisStepMillis, redisMaxMillis),
    // Nobody would hear that ioredis' own attempt has failed, and that would end the process. Subscribers do it themselves.
    autoResubscribe: false
  }) satisfies RedisOptions

/** The servers that share the keys: the masters of a cluster, or the only server. */
export const mastersOf = (client: Client): ReadonlyArray<Client> =>
  client instanceof Cluster ? (client as Cluster).nodes("master") : [client]

/** Lets no command of a client through while there is a refusal, except those that make the connection. */
const refusing = (client: Client, refusal: () => string | undefined): void => {
  const internals = client as unknown as {
    sendCommand: (...sent: readonly [SentCommand, ...Array<unknown>]) => unknown
  }
  const send = internals.sendCommand.bind(client)
  internals.sendCommand = (command, stream, node) => {
    const reason = refusal()
    if (reason === undefined || client.status === "connect") return send(command, stream, node)
    command.reject(new Unreachable(reason))
    return command.promise
  }
}

interface SentCommand {
  readonly reject: (error: Error) => void
  readonly promise: Promise<unknown>
}

export class Redis extends Context.Service<
  Redis,
  {
    /** For commands that do not block. Its keys begin with the prefix. */
    readonly client: Client
    /** Opens a separate connection for blocking commands or subscriptions. It is closed with the scope. */
    readonly connect: Effect.Effect<Client, never, Scope.Scope>
    /** Opens a connection to which keys are given in full. */
    readonly connectBare: Effect.Effect<Client, never, Scope.Scope>
    /** The text that keys and channels of this installation begin with, unless others are set. */
    readonly prefix: string
    /** Sets the text that keys and channels of all connections begin with; subscribers get the event `renamed`. */
    readonly rename: (prefix: string) => Effect.Effect<void>
    /** Fails every command of the connections with prefix at once, for this reason; undefined ends that. */
    readonly refuse: (reason: string | undefined) => Effect.Effect<void>
    /** Limit of our use of Redis, bytes, in addition to the server's own limit; 0 for none. */
    readonly memoryBytesMax: number
  }
>()("rackwire/Redis") {
  static readonly layer = Layer.effect(
    Redis,
    Effect.gen(function* () {
      const { redisUrl, redisMemoryLimit = 0 } = yield* Servers
      const address = redisAddressOf(reveal(redisUrl))
      const options = optionsFor((yield* Pace).servers)
      const clients = new Set<Client>()
      const { prefix } = yield* Installation
      let used = prefix
      let refusal: string | undefined
      const openAs = (keyPrefix: string) => {
        const client = open(address, { ...options, keyPrefix })
        // Without a listener the first lost connection would end the process. The commands report it anyway.
        client.on("error", () => {})
        return client
      }
      const connect = Effect.acquireRelease(
        Effect.sync(() => {
          const client = openAs(used)
          refusing(client, () => refusal)
          clients.add(client)
          return client
        }),
        (client) =>
          Effect.sync(() => {
            clients.delete(client)
            client.disconnect()
          })
      )
      const connectBare = Effect.acquireRelease(
        Effect.sync(() => openAs("")),
        (client) => Effect.sync(() => client.disconnect())
      )
      const rename = (next: string) =>
        Effect.sync(() => {
          if (used === next) return
          used = next
          for (const client of clients) {
            client.options.keyPrefix = next
            client.emit("renamed")
          }
        })
      const refuse = (reason: string | undefined) =>
        Effect.sync(() => {
          const isOver = refusal !== undefined && reason === undefined
          refusal = reason
          // Their subscriptions may have been refused.
          if (isOver) for (const client of clients) client.emit("renamed")
        })
      return Redis.of({
        client: yield* connect,
        refuse,
        connect,
        connectBare,
        prefix,
        rename,
        memoryBytesMax: redisMemoryLimit
      })
    })
  )
}

/** Connections to Redis. */
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { Cluster, Redis as Client, type RedisOptions } from "ioredis"
import { reveal } from "./Config.ts"
import { Servers } from "./embedded/Servers.ts"

export { Client }

/** A command failed. `mayRetry`: the server was not there or could not take it now. */
export class RedisError extends Schema.TaggedError<RedisError>()("RedisError", {
  reason: Schema.Literals(["Unavailable", "Command"]),
  message: Schema.String
}) {
  get mayRetry(): boolean {
    return this.reason === "Unavailable"
  }
}

/** Errors by which Redis says that it will do it later, not that the command is wrong. */
const passing = /^(LOADING|BUSY|OOM|MISCONF|READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|NOREPLICAS)/

/** Faults of ours in handling a reply; they must not pass for a server that is away. */
const isDefect = (error: unknown): boolean => error instanceof TypeError || error instanceof SyntaxError

const toRedisError = (error: unknown): RedisError => {
  if (error instanceof RedisError) return error
  const { name, message } = error as Error
  const wrong = name === "ReplyError" && !passing.test(message)
  // ioredis tells of its own option instead.
  const told = name === "MaxRetriesPerRequestError" ? "Redis cannot be reached." : message
  return new RedisError({ reason: wrong ? "Command" : "Unavailable", message: told })
}

/** Time for any answer, milliseconds: longer than a connection may owe one. */
const answerMillis = 30_000

/** What a connection that died held may be answered never: whoever waits must not wait for ever. */
const answered = <A>(run: () => Promise<A>): Promise<A> => {
  const { promise, resolve, reject } = Promise.withResolvers<A>()
  const message = `no answer from Redis for ${answerMillis} ms`
  const timer = setTimeout(() => reject(new RedisError({ reason: "Unavailable", message })), answerMillis)
  run()
    .then(resolve, reject)
    .finally(() => clearTimeout(timer))
  return promise
}

/** A command or pipeline as an effect. */
export const command = <A>(run: () => Promise<A>): Effect.Effect<A, RedisError> =>
  Effect.catch(Effect.tryPromise({ try: () => answered(run), catch: (error) => error }), (error) =>
    isDefect(error) ? Effect.die(error) : Effect.fail(toRedisError(error))
  )

/** Commands fail soon when the server is away: whoever sent them knows what to do about it. */
const options = {
  // Replies have one shape then, whatever the server's version.
  protocol: 2,
  lazyConnect: true,
  maxRetriesPerRequest: 1,
  connectTimeout: 5000,
  // A connection that owes a reply for so long is dead, however alive the network makes it look.
  socketTimeout: 15_000,
  // One that owes none, as that of a subscriber, is asked for by the network after so much silence.
  keepAlive: 10_000,
  retryStrategy: (times: number) => Math.min(times * 50, 1000)
} satisfies RedisOptions

/** `redis+cluster://user:password@one:6379,two:6379`: some nodes of a cluster, from which the others are learned. */
const clusterScheme = /^redis(s?)\+cluster:\/\/(?:([^@]*)@)?([^/]+)\/?$/

/**
 * A connection, or those to the nodes of a cluster. Both take the same commands; a pipeline to a cluster one node's.
 */
const open = (url: string): Client => {
  const match = clusterScheme.exec(url)
  if (match === null) return new Client(url, options)
  const [, secure, credentials = "", hosts] = match
  const [username = "", password = ""] = credentials.split(":").map(decodeURIComponent)
  const nodes = hosts!.split(",").map((host) => {
    const { hostname, port } = new URL(`redis://${host}`)
    return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 6379) }
  })
  const { retryStrategy, lazyConnect, ...redisOptions } = options
  const cluster = new Cluster(nodes, {
    lazyConnect,
    clusterRetryStrategy: retryStrategy,
    redisOptions: {
      ...redisOptions,
      ...(username !== "" && { username }),
      ...(password !== "" && { password }),
      ...(secure === "s" && { tls: {} })
    }
  })
  return cluster as unknown as Client
}

/** Each server that holds a part of the keys. */
export const mastersOf = (client: Client): ReadonlyArray<Client> =>
  client instanceof Cluster ? (client as Cluster).nodes("master") : [client]

export class Redis extends Context.Service<
  Redis,
  {
    /** For commands that answer at once. */
    readonly client: Client
    /** A connection of its own, for one that waits or subscribes. It lives as long as the scope. */
    readonly connect: Effect.Effect<Client, never, Scope.Scope>
    /** Bytes that it may use beside its own limit; 0 for that alone. */
    readonly memoryLimit: number
  }
>()("rackwire/Redis") {
  static readonly layer = Layer.effect(
    Redis,
    Effect.gen(function* () {
      const { redisUrl, redisMemoryLimit = 0 } = yield* Servers
      const connect = Effect.acquireRelease(
        Effect.sync(() => {
          const client = open(reveal(redisUrl))
          // Without a listener the first lost connection would end the process; commands tell of it anyway.
          client.on("error", () => {})
          return client
        }),
        (client) => Effect.sync(() => client.disconnect())
      )
      return Redis.of({ client: yield* connect, connect, memoryLimit: redisMemoryLimit })
    })
  )
}

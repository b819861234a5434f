/**
 * Embedded servers: the Postgres and the Redis that `npm start` and the tests run on.
 *
 * Responsible for: local servers where no address is configured. Their data is in the data directory, they are
 * restarted when they die, and they stop with us however we end. Guarantees: data is kept; several instances can run on
 * one machine; only the process that owns the data directory starts servers. Others wait until it has started them, use
 * them, and start their successors on the same ports when it ends.
 * Does not: tune, upgrade or replicate a server. Configured addresses are used as they are.
 */
import { Cause, Context, Deferred, Effect, Layer, Redacted, type Scope } from "effect"
import { serverEnvironment } from "./ChildEnvironment.ts"
import { Settings } from "../Config.ts"
import { OptionRefused } from "../Setting.ts"
import { Pace, paused, pausing } from "../eventloop/Pace.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { type Program, awaitReady, start } from "./Child.ts"
import { DataDirectory, type Owner, identify, isAlive } from "./DataDirectory.ts"
import { EmbeddedError } from "./EmbeddedError.ts"
import { areFree, freePorts } from "./Ports.ts"
import * as PostgresServer from "./PostgresServer.ts"
import * as RedisBinary from "./RedisBinary.ts"
import * as RedisServer from "./RedisServer.ts"

/** The addresses of Postgres and Redis, and the key that seals secrets. */
export class Servers extends Context.Service<
  Servers,
  {
    /** The Postgres server itself. */
    readonly databaseUrl: Redacted.Redacted
    /** A pooler before the same database, for requests. */
    readonly poolerUrl?: Redacted.Redacted | undefined
    /** Most connections of this process to Postgres, if not the usual number. */
    readonly connections?: number | undefined
    readonly redisUrl: Redacted.Redacted
    /** Limit of our use of Redis, bytes, if it is lower than the server's own. */
    readonly redisMemoryLimit?: number | undefined
    readonly secretKey: Redacted.Redacted
  }
>()("rackwire/embedded/Servers") {
  static readonly layer = Layer.effect(
    Servers,
    Effect.gen(function* () {
      const settings = yield* Settings
      const { redisUrl, redisMemoryLimit, secretKey, databaseConnections: connections } = settings
      const { databaseUrl, poolerUrl } = yield* postgresAddresses(settings)
      if (databaseUrl !== undefined && redisUrl !== undefined) {
        const key = yield* requireKey(secretKey)
        return Servers.of({ databaseUrl, poolerUrl, connections, redisUrl, redisMemoryLimit, secretKey: key })
      }
      const directory = yield* open(settings.dataDirectory)
      const running = yield* ownOrFollow(directory, settings)
      return Servers.of({
        databaseUrl: databaseUrl ?? Redacted.make(running.databaseUrl),
        poolerUrl,
        connections,
        redisUrl: redisUrl ?? Redacted.make(running.redisUrl),
        redisMemoryLimit,
        secretKey:
          secretKey ??
          (databaseUrl === undefined ? Redacted.make(directory.secrets().secretKey) : yield* requireKey(undefined))
      })
    })
  )
}

const postgresAddresses = ({ databaseUrl, databaseDirectUrl }: Settings["Service"]) => {
  if (databaseDirectUrl === undefined) return Effect.succeed({ databaseUrl, poolerUrl: undefined })
  if (databaseUrl !== undefined) return Effect.succeed({ databaseUrl: databaseDirectUrl, poolerUrl: databaseUrl })
  const message = "DATABASE_DIRECT_URL: set DATABASE_URL as well, to the address of the pooler before this server."
  return Effect.fail(new OptionRefused({ message }))
}

const requireKey = (key: Redacted.Redacted | undefined) =>
  key === undefined
    ? new EmbeddedError({
        reason: "DataDirectoryUnusable",
        message:
          "SECRET_KEY must be set where DATABASE_URL is: 32 or more random characters, the same for every process."
      })
    : Effect.succeed(key)

const open = (path: string) =>
  Effect.try({
    try: () => new DataDirectory(path),
    catch: (cause) => new EmbeddedError({ reason: "DataDirectoryUnusable", message: `${path}: ${String(cause)}` })
  }).pipe(
    Effect.tap((directory) => {
      const message = directory.ownerProblem()
      return message === undefined
        ? Effect.void
        : Effect.fail(new EmbeddedError({ reason: "DataDirectoryUnusable", message }))
    })
  )

/** Time that a server has to recover its data and answer, milliseconds. */
const readyMillis = 60_000

/** Time that the watchdogs of a dead owner have to stop its servers, milliseconds. */
const orphanMillis = 15_000

/** Longest wait for the owner to start its servers, milliseconds: it may have to make the cluster first. */
const ownerMillis = 2 * readyMillis

const retryPauses = pausing(({ embedded }) => embedded.retryMillis)

/** Starts the servers, or waits until their owner has started them and follows it. Returns the owner. */
const ownOrFollow = Effect.fnUntraced(function* (directory: DataDirectory, settings: Settings["Service"]) {
  const began = performance.now()
  for (let told = false; ; told = true) {
    const owner = directory.owner()
    if (owner === undefined) {
      const owned = yield* own(directory, settings)
      if (owned !== undefined) return owned
    } else if (isReady(owner)) {
      yield* Effect.forkScoped(follow(directory, settings, owner))
      return owner
    } else if (!told) {
      yield* Effect.logInfo(`waiting for process ${owner.process.pid}, which starts the servers of ${directory.path}`)
    }
    if (performance.now() - began > ownerMillis) return yield* inUse(directory)
    yield* Effect.sleep(200)
  }
})

const isReady = ({ isReady, databaseUrl, redisUrl }: Owner): boolean => isReady ?? databaseUrl + redisUrl !== ""

/** Waits for the end of the owner, and becomes the owner, if no other process does. */
const follow = (
  directory: DataDirectory,
  settings: Settings["Service"],
  first: Owner
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    let told = first
    while (true) {
      yield* paused(({ embedded }) => embedded.followMillis)
      const owner = directory.owner()
      if (owner === undefined) {
        yield* Effect.logInfo(`the owner of ${directory.path} has ended; starting its servers here`)
        const owned = yield* own(directory, settings)
        if (owned !== undefined) return tellMove(first, owned)
      } else if (isReady(owner) && owner.databaseUrl + owner.redisUrl !== told.databaseUrl + told.redisUrl) {
        yield* tellMove(first, owner)
        told = owner
      }
    }
  }).pipe(
    Effect.flatten,
    Effect.tapError(({ message }) => Effect.logError(`the servers of ${directory.path} cannot be started: ${message}`)),
    Effect.retry(retryPauses),
    Effect.orDie
  )

const tellMove = (before: Owner, after: Owner) =>
  before.databaseUrl === after.databaseUrl && before.redisUrl === after.redisUrl
    ? Effect.void
    : Effect.logFatal("the servers answer on other ports now, because theirs were taken: start this process again")

/** The ports of the servers: those of the owner before, unless somebody has taken them. */
const portsOf = async (directory: DataDirectory): Promise<ReadonlyArray<number>> => {
  const known = directory.ports()
  if (known !== undefined && (await areFree(known))) return known
  const ports = await freePorts(2)
  directory.keepPorts(ports)
  return ports
}

/** Starts the servers as their owner; undefined if another process was quicker. */
const own = Effect.fnUntraced(function* (directory: DataDirectory, settings: Settings["Service"]) {
  yield* endOrphans(directory)
  if (!directory.claim()) return undefined
  // Registered first, so that it runs last: when the servers have stopped.
  yield* Effect.addFinalizer(() => Effect.sync(() => directory.release()))
  const environment = serverEnvironment()
  const binary = settings.redisUrl === undefined ? yield* RedisBinary.find(environment) : undefined
  const [postgresPort, redisPort] = yield* Effect.promise(() => portsOf(directory))
  const postgres =
    settings.databaseUrl === undefined
      ? yield* PostgresServer.prepare({
          directory,
          port: postgresPort!,
          binaries: settings.postgresBinaries,
          environment
        })
      : undefined
  const redis =
    binary === undefined
      ? undefined
      : RedisServer.prepare(directory, redisPort!, binary, environment, settings.redisMemoryLimit)
  const pids = new Map<string, number>()
  let isReady = false
  const owner = (): Owner => ({
    process: identify(process.pid),
    servers: [...pids.values()].map(identify),
    databaseUrl: postgres?.url ?? "",
    redisUrl: redis?.url ?? "",
    isReady
  })
  const record = (name: string, pid: number) =>
    Effect.try(() => {
      pids.set(name, pid)
      directory.record(owner())
    })
  yield* Effect.forEach([postgres, redis], (server) => (server === undefined ? Effect.void : keep(server, record)), {
    concurrency: 2
  })
  isReady = true
  directory.record(owner())
  return owner()
})

const inUse = (directory: DataDirectory) =>
  new EmbeddedError({ reason: "DataDirectoryInUse", message: `${directory.path} is in use by another process` })

interface Server {
  readonly program: Program
  readonly ready: (pid: number) => Effect.Effect<boolean>
  /** Sets data aside that keeps the server from starting; returns where it is then. */
  readonly repair?: () => string | undefined
}

const startPause = paused(({ embedded }) => embedded.restartMillis)

/**
 * Starts the server and restarts it whenever it ends by itself. Returns when it first answers; fails if it cannot be
 * started then. Later nothing ends the supervision: a full disk may keep a server from starting for a long time.
 */
const keep = Effect.fnUntraced(function* (
  server: Server,
  record: (name: string, pid: number) => Effect.Effect<void, Cause.UnknownError>
) {
  const { name } = server.program
  const first = yield* Deferred.make<void, EmbeddedError>()
  // The child belongs to the scope of its turn, so interrupting this fiber stops the child and starts no other.
  const life = Effect.scoped(
    Effect.gen(function* () {
      const { livedMillis } = (yield* Pace).embedded
      const began = performance.now()
      const child = yield* start(server.program)
      yield* record(name, child.pid).pipe(
        Effect.tapError((error) =>
          Effect.logWarning(`${name}: its process cannot be noted in owner.json, trying again: ${inWords(error)}`)
        ),
        Effect.retry(retryPauses),
        Effect.orDie,
        Effect.forkScoped({ startImmediately: true })
      )
      yield* awaitReady(server.program, child, server.ready(child.pid), readyMillis)
      if (!(yield* Deferred.succeed(first, undefined))) yield* Effect.logInfo(`${name} is back (process ${child.pid})`)
      yield* Effect.logError(`${name} ended (${yield* child.exited}); starting it again`)
      if (performance.now() - began < livedMillis) yield* startPause
    })
  )
  const turn = Effect.catchTag(life, "EmbeddedError", (error) =>
    Effect.flatMap(
      Effect.sync(() => server.repair?.()),
      (damaged) =>
        damaged === undefined
          ? Effect.fail(error)
          : Effect.andThen(Effect.logError(`${error.message}\nIt starts without this data, kept in ${damaged}.`), life)
    )
  )
  const again = turn.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.andThen(Effect.logError(`${name} cannot be started, trying again`, cause), startPause)
    )
  )
  yield* Effect.forkScoped(
    turn.pipe(
      Effect.tapError((error) => Deferred.fail(first, error)),
      Effect.tapDefect((defect) => Deferred.die(first, defect)),
      Effect.andThen(Effect.forever(again))
    )
  )
  yield* Deferred.await(first)
})

/** Waits while watchdogs stop the servers of a dead owner, and stops those whose watchdogs are dead as well. */
const endOrphans = Effect.fnUntraced(function* (directory: DataDirectory) {
  const deadline = orphanMillis / 100
  for (let turn = 0; turn < deadline; turn++) {
    const orphans = directory.orphans()
    if (orphans.length === 0) return
    if (turn === deadline / 3) for (const { pid } of orphans) process.kill(pid, "SIGINT")
    yield* Effect.sleep(100)
  }
  for (const { pid } of directory.orphans()) process.kill(pid, "SIGKILL")
  yield* Effect.sleep(100)
  const left = directory.orphans().filter(isAlive)
  if (left.length > 0) {
    return yield* new EmbeddedError({
      reason: "DataDirectoryInUse",
      message: `${directory.path}: servers of an earlier run (processes ${left.map(({ pid }) => pid).join(", ")}) do not stop`
    })
  }
})

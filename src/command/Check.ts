/**
 * `check`: checks whether Postgres and Redis are configured so that no change is lost, and says what to change.
 */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { SqlClient, SqlError } from "effect/sql"
import { eventPath } from "../inventory/derive/represent/EventPaths.ts"
import { conditionWarnings } from "../inventory/derive/represent/ConditionWarnings.ts"
import { Redis } from "../redis/Redis.ts"
import { type RedisFacts, redisFacts, unsuitable } from "../redis/Suitability.ts"
import { Settings } from "../Config.ts"
import { Environment } from "../Environment.ts"
import { optionWarnings, settingsShown } from "../ShownOptions.ts"
import { channelProblems } from "../pipeline/ChannelProbe.ts"
import { foundationOfAny } from "../pipeline/Foundation.ts"
import { diskProblems } from "../embedded/Disk.ts"
import { Servers } from "../embedded/Servers.ts"
import { isOfPooler, poolerProblem } from "../postgres/Pooler.ts"
import { sqlStateOf } from "../postgres/Postgres.ts"
import { writeProblems } from "../redis/WriteProbe.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { Templates } from "../template/Template.ts"
import { LdapDirectory } from "../auth/ldap/LdapDirectory.ts"
import { SingleSignOn } from "../auth/oidc/SingleSignOn.ts"
import { unhealthyWebhooks } from "../history/health/Unhealthy.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { type Finding, otherOptions, running, serviceFindings } from "./check/Findings.ts"
import { directoryFindings } from "./check/DirectoryFindings.ts"
import { providerFindings } from "./check/ProviderFindings.ts"
import { proxyFindings } from "./check/ProxyFindings.ts"
import { judgePostgres, postgresFacts } from "./check/PostgresFindings.ts"
import { ofService } from "./service/OfService.ts"
import { CommandFailed, entry } from "./service/Entry.ts"

/** Checks a Redis. */
export const judgeRedis = (facts: RedisFacts): ReadonlyArray<Finding> => {
  const found = unsuitable(facts)
  const finding = (what: string, aspect: (typeof found)[number]["aspect"], is: string): Finding => ({
    what,
    is,
    change: found.find((each) => each.aspect === aspect)?.change
  })
  return [
    finding("Redis version", "version", facts.version),
    finding("Redis eviction", "eviction", facts.eviction ?? "not reported"),
    finding("rights in Redis", "rights", facts.refused.length === 0 ? "yes" : `not ${facts.refused.join(", ")}`)
  ]
}

/** Reports a full disk: of Postgres by making it write, and of the data directory where we run the servers. */
const spaceFindings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { databaseUrl, redisUrl, dataDirectory } = yield* Settings
  const write = sql`
    create temporary table rackwire_space on commit drop as
    select repeat('x', 8000) as text from generate_series(1, ${spaceRows}::int)`
  const full = yield* sql.withTransaction(write).pipe(
    Effect.as([]),
    Effect.catch((error) => Effect.succeed(sqlStateOf(error) === diskFull ? [inWords(error)] : []))
  )
  const own = databaseUrl === undefined || redisUrl === undefined ? yield* diskProblems(dataDirectory) : []
  return [...full, ...own].map((is): Finding => ({
    what: "space",
    is,
    change: "Free space on the disk: the service continues by itself."
  }))
})

/** Rows that Postgres writes to show that it can, 8 KB each, and its SQLSTATE when it cannot. */
const spaceRows = 200
const diskFull = "53100"

/** Reports a Redis that answers and takes no writes. */
const writeFindings = Effect.flatMap(Redis, ({ client }) =>
  Effect.map(writeProblems(client), (problems) =>
    problems.map((is): Finding => ({
      what: "Redis writes",
      is,
      change: "Give Redis memory or space, or make it the primary: deliveries wait meanwhile."
    }))
  )
)

/** Reports a Redis in which no message arrives. */
const channelFindings = Effect.map(channelProblems, (problems) =>
  problems.map((is): Finding => ({
    what: "Redis channels",
    is,
    change:
      "Let the user publish and subscribe: acl setuser <user> resetchannels &rackwire:*  (each first attempt waits otherwise)"
  }))
)

/** The findings about both servers, including one that does not answer. */
const findings = Effect.gen(function* () {
  const { poolerUrl } = yield* Servers
  const unreachable =
    (what: string, option: string) =>
    (error: { readonly message: string }): Effect.Effect<ReadonlyArray<Finding>> => {
      const pooler = SqlError.isSqlError(error) && isOfPooler(error)
      const change = pooler ? poolerProblem(poolerUrl !== undefined) : `Check ${option} and that the server runs.`
      return Effect.succeed([{ what, is: `does not answer: ${inWords(error)}`, change }])
    }
  const postgres = yield* Effect.gen(function* () {
    return [...judgePostgres(yield* postgresFacts), ...(yield* serviceFindings), ...(yield* spaceFindings)]
  }).pipe(Effect.catch(unreachable("Postgres", "DATABASE_URL")))
  const redis = yield* Effect.gen(function* () {
    const { client } = yield* Redis
    return [...judgeRedis(yield* redisFacts(client)), ...(yield* writeFindings), ...(yield* channelFindings)]
  }).pipe(Effect.catch(unreachable("Redis", "REDIS_URL")))
  const signIn = [...(yield* providerFindings), ...(yield* directoryFindings), ...proxyFindings(yield* Settings)]
  return [...postgres, ...redis, ...signIn]
})

/** Most unhealthy webhooks that are named. */
const unhealthyMax = 10

/** One line for each webhook that needs attention. A failing receiver requires no change of the service. */
const failing = unhealthyWebhooks.pipe(
  Effect.map((unhealthy) => {
    const more = unhealthy.length - unhealthyMax
    const named = unhealthy.slice(0, unhealthyMax)
    const lines = named.map(({ name, webhook, sentence }) => `webhook ${name} (${webhook}): ${sentence}`)
    return more > 0 ? [...lines, `${more} more webhooks`] : lines
  }),
  Effect.provideService(Clearance, Clearance.all),
  // Before the first start the tables do not exist.
  Effect.catch(() => Effect.succeed([]))
)

/** Most webhooks whose conditions are checked. */
const conditionsMax = 1000

/** One line for each warning about the condition of an enabled webhook. */
const warned = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    readonly id: number
    readonly name: string
    readonly types: ReadonlyArray<string>
    readonly conditions: unknown
  }>`
    select id::int as id, name, content_types as types, conditions from extras_webhook
     where enabled and conditions is not null order by id limit ${conditionsMax}::int`
  return rows.flatMap(({ id, name, types, conditions }) =>
    conditionWarnings(types, conditions, { eventPath }).map((text) => `webhook ${name} (${id}), condition: ${text}`)
  )
  // Before the first start the table does not exist.
}).pipe(Effect.catch(() => Effect.succeed([])))

export default Command.make("check", {}, () =>
  Effect.gen(function* () {
    yield* Console.log("Options of this command, by its own environment:")
    const shown = settingsShown(yield* Settings, yield* Environment)
    for (const { name, value } of shown) yield* Console.log(`      ${name}=${value}`)
    const found = yield* findings
    for (const { what, is, change } of found) {
      yield* Console.log(
        `${change === undefined ? "ok   " : "CHANGE"} ${what}: ${is}${change === undefined ? "" : `\n       -> ${change}`}`
      )
    }
    yield* Console.log("      After restoring Postgres and Redis together from a backup: rackwire restored")
    yield* Console.log(`      Keys in Redis begin with ${(yield* Redis).prefix}`)
    const runs = yield* running
    for (const line of runs) yield* Console.log(`runs  ${line}`)
    for (const line of yield* otherOptions) yield* Console.log(`warns ${line}`)
    for (const line of yield* failing) yield* Console.log(`fails ${line}`)
    for (const line of optionWarnings(yield* Environment)) yield* Console.log(`warns ${line}`)
    for (const line of yield* warned) yield* Console.log(`warns ${line}`)
    const { plugins } = yield* Templates
    yield* Console.log(`ok    plugins: ${(yield* plugins).map(({ name }) => name).join(", ")}`)
    const wrong = found.filter(({ change }) => change !== undefined).length
    if (wrong > 0) return yield* new CommandFailed({ message: `${wrong} of ${found.length} checks require a change.` })
    const idle = runs.length === 0 ? " No process of the service runs yet." : ""
    yield* Console.log(`All ${found.length} checks are well.${idle}`)
  }).pipe(ofService(Layer.mergeAll(SingleSignOn.layer, LdapDirectory.layer).pipe(Layer.provideMerge(foundationOfAny))))
).pipe(
  Command.withDescription("Check the configuration and the servers, and say what to change."),
  entry({
    check:
      "Checks the configuration and the servers, and says what to change. Names webhooks that are failing. Lists changes that were set aside because no event could be made of them (`rackwire_set_aside`), and gaps."
  })
)

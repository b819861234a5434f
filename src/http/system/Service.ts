/** `GET /api/core/service/`: versions, settings without secrets, and problems with what to do about each. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings, version } from "../../Config.ts"
import { Environment } from "../../Environment.ts"
import { settingsShown } from "../../ShownOptions.ts"
import { serviceProblems } from "../../history/tasks/Problems.ts"
import { processes, told } from "../../history/tasks/Processes.ts"
import { objectType } from "../../inventory/Registry.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { watching } from "./MetricsAccess.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, flag, listOf, record, string } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"

const webhookType = objectType("extras.webhook")

/** The version of Postgres. */
export const postgresVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly version: string }>`select current_setting('server_version') as version`
  return row!.version
})

/** The versions that the processes report; more than one while an update is under way. */
export const versionsTold = Effect.map(processes, (all) => {
  const of = (part: string, name: string) => [
    ...new Set(
      all
        .filter(({ lost }) => !lost)
        .flatMap((process) => told(process, part)?.[name] ?? [])
        .map(String)
    )
  ]
  return { rackwire: of("process", "version"), node: of("process", "node"), redis: of("redis", "version") }
})

/** The settings, for users who may change every webhook; none for others. */
export const settingsSeen = Effect.gen(function* () {
  return isEverything(yield* cleared(webhookType, "change")) ? settingsShown(yield* Settings, yield* Environment) : []
})

const service = record({
  version: string,
  versions: record({ rackwire: listOf(string), node: listOf(string), redis: listOf(string), postgres: string }),
  problems: listOf(record({ problem: string, advice: string, processes: listOf(string) })),
  settings: described(
    listOf(record({ name: string, value: string, isSet: flag, description: string })),
    "Without secrets; empty for users who may not change every webhook."
  )
})

const show = endpoint({ summary: "Versions, problems and settings", reply: service }, (request) =>
  Effect.gen(function* () {
    yield* watching(request)
    const json = {
      version,
      versions: { ...(yield* versionsTold), postgres: yield* postgresVersion },
      problems: yield* serviceProblems(yield* processes),
      settings: yield* settingsSeen
    }
    return { status: 200, json }
  })
)

export default { path: "/api/core/service/", access: webhookType, methods: { GET: show } } satisfies Route

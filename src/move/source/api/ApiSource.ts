/** Opens a running NetBox as a source: reads its API into temporary tables, which a move reads as it reads a database. */
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlError } from "effect/sql"
import { isDictionary } from "../../../inventory/Field.ts"
import { openPool, sqlStateOf } from "../../../postgres/Postgres.ts"
import type { SourceTable } from "../Catalogue.ts"
import { fetchedFiles } from "../Files.ts"
import { Snapshot } from "../Snapshot.ts"
import { type ApiAddress, type ApiClient, ApiFailed, openClient, requestsMax } from "./Client.ts"
import { type Endpoint, endpointsOf } from "./Endpoints.ts"
import { eachPage } from "./Pages.ts"
import { Staging } from "./Staging.ts"
import { Untranslatable } from "./Translate.ts"

/** An endpoint that could not be read. */
interface Unread extends Endpoint {
  /** `ipam/vrfs (403)`. */
  readonly problem: string
}

const unusable = (message: string) => Effect.fail(new ApiFailed({ reason: "Unusable", message }))

/** The release of a NetBox, `4.2`. */
const releaseAt = Effect.fnUntraced(function* (client: ApiClient) {
  const status = yield* client.get("/api/status/").pipe(
    Effect.catchIf(
      ({ reason }) => reason === "Forbidden",
      ({ message }) => unusable(`${message} NetBox refuses the token, or takes it from other addresses only.`)
    )
  )
  const version = isDictionary(status) ? String(status["netbox-version"]) : ""
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  if (major === undefined) return yield* unusable("GET /api/status/ answers without netbox-version: this is no NetBox.")
  const number = Number(major) * 100 + Number(minor)
  if (number < 301) return yield* unusable(`NetBox ${major}.${minor} is older than 3.1: upgrade NetBox first.`)
  if (number > 402) return yield* unusable(`NetBox is of release ${major}.${minor}; releases 3.1 to 4.2 can be moved.`)
  return `${major}.${minor}`
})

interface Reading {
  readonly client: ApiClient
  readonly staging: Staging
  readonly release: string
  readonly progress: ApiAddress["progress"]
}

/** Reads the objects of an endpoint; returns the reason if the token may not, or if it is missing. */
const readEndpoint = Effect.fnUntraced(function* ({ client, staging, release, progress }: Reading, endpoint: Endpoint) {
  const { path } = endpoint
  let rows = 0
  yield* staging.open(endpoint)
  return yield* eachPage({
    ...{ client, path, isOrdered: release !== "3.1" },
    use: (objects, of) =>
      Effect.andThen(staging.add(endpoint, objects), () => progress(path, (rows += objects.length), of))
  }).pipe(
    Effect.as(undefined),
    Effect.catchIf(
      (error) => error instanceof ApiFailed && statuses[error.reason] !== undefined,
      (error) => Effect.succeed<Unread>({ ...endpoint, problem: `${path} (${statuses[(error as ApiFailed).reason]})` })
    ),
    // Not every endpoint is a list of objects.
    Effect.catchIf(
      (error) => error instanceof ApiFailed && error.reason === "NoList" && endpoint.type === undefined,
      () => Effect.as(staging.drop(endpoint.table), undefined)
    )
  )
})

/** Answers that end no move. */
const statuses: Readonly<Partial<Record<ApiFailed["reason"], string>>> = { Forbidden: "403", NotFound: "404" }

/** Values that Postgres does not take: those of no NetBox. */
const isOfValue = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && /^(?:22|54)/.test(sqlStateOf(error) ?? "")

/** Reads a running NetBox; the connection with its rows ends with the scope. Fails with `ApiFailed`. */
export const openApi = Effect.fnUntraced(function* (address: ApiAddress) {
  const client = yield* openClient(address)
  const release = yield* releaseAt(client)
  const sql = yield* openPool({ connections: 1, statementMillis: undefined, keepsSessions: true }).pipe(
    Effect.provide(Reactivity.layer)
  )
  const staging = new Staging(sql)
  const reading: Reading = { client, staging, release, progress: address.progress }
  const unread = yield* Effect.gen(function* () {
    yield* staging.begin
    const endpoints = yield* endpointsOf(client)
    // The values of others depend on the types of custom fields.
    const [first, others] = [endpoints.filter(isFirst), endpoints.filter((each) => !isFirst(each))]
    const found = [
      ...(yield* Effect.forEach(first, (each) => readEndpoint(reading, each))),
      ...(yield* Effect.forEach(others, (each) => readEndpoint(reading, each), { concurrency: requestsMax }))
    ].flatMap((each) => each ?? [])
    if (address.needsAll && found.length > 0) {
      return yield* unusable(
        `The token may not read ${found.map(({ problem }) => problem).join(", ")}: nothing was written.`
      )
    }
    for (const { type, table } of found) if (type === undefined) yield* staging.drop(table)
    const paths = new Set(found.map(({ path }) => path))
    yield* staging.end(endpoints.filter(({ path }) => !paths.has(path)))
    return found
  }).pipe(
    Effect.catchIf(
      (error) => error instanceof Untranslatable,
      ({ message }) => unusable(message)
    ),
    Effect.catchIf(isOfValue, () => unusable("NetBox's answers have values that Postgres does not store, such as NUL."))
  )
  // Mappings do without a table that has no type of its own.
  const tables = unread.map(({ type, table, path, problem }): readonly [string, SourceTable] => [
    type === undefined ? path : table,
    { columns: new Map(), isReadable: false, problem }
  ])
  return { snapshot: new Snapshot(sql, "pg_temp"), release, unread: tables, files: yield* fetchedFiles(client.file) }
})

const isFirst = ({ path }: Endpoint): boolean => path === "extras/custom-fields"

/**
 * The events that a user may see outside of a request: of a webhook with a `scope_user`, and of a replay, which runs
 * after the request for it.
 *
 * The rule is that of the change log: a user sees an event if that user may view its object as it is now. A user who
 * may view only some objects of a type sees no deleted ones. Objects inside that the user may not view are shown by id.
 * Permissions count as of now; inactive users see nothing.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { sqlStateOf } from "../postgres/Postgres.ts"
import { inWords } from "../Telemetry.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { objectType } from "../inventory/Registry.ts"
import { masked, nestedName, visitNested } from "../inventory/derive/represent/Masked.ts"
import type { Json } from "../inventory/derive/represent/Representation.ts"
import { allOf, asTexts, isEverything, nothing, whereIds } from "../inventory/derive/filter/Where.ts"
import { type FoundUser, permissionsOf, userColumns, userOf } from "./Authenticate.ts"
import { clearanceOf } from "./Permission.ts"

/** An event and its viewers: all of them must be allowed to see it. */
interface Told {
  readonly type: string
  readonly objectId: number
  readonly data: Json
  readonly viewers: ReadonlyArray<number>
}

/** An event as all its viewers may see it. */
export interface Seen {
  readonly data: Json
  /** Names of the objects inside that are shown by id alone (Masked.ts). */
  readonly hidden: ReadonlyArray<string>
}

/** Sees nothing. */
const blind = Clearance.of({ where: () => nothing })

/** These users with their permissions, as they would come without writing. Inactive ones are left out. */
const principalsOf = Effect.fnUntraced(function* (ids: Iterable<number>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.unsafe<FoundUser>(
    `select ${userColumns} from users_user u where u.is_active and u.id = any ($1::text[]::bigint[])`,
    [asTexts(ids)]
  )
  return yield* Effect.forEach(found, (each) =>
    Effect.map(permissionsOf(each), (permissions) => ({ user: userOf(each), mayWrite: false, permissions }))
  )
})

/** A user with the permissions of the user and the user's groups; undefined for an inactive or unknown one. */
export const principalOf = (id: number) => Effect.map(principalsOf([id]), ([principal]) => principal)

/** The clearance of each of these users. An inactive or unknown user sees nothing. */
export const clearancesOf = Effect.fnUntraced(function* (ids: ReadonlySet<number>) {
  const clearances = new Map<number, Clearance["Service"]>()
  for (const principal of yield* principalsOf(ids)) {
    clearances.set(principal.user.id, yield* clearanceOf(principal))
  }
  return (id: number): Clearance["Service"] => clearances.get(id) ?? blind
})

/** Each event as all its viewers may see it; undefined if one of them may not. Without viewers no query is made. */
export const seen = Effect.fnUntraced(function* (events: ReadonlyArray<Told>) {
  const shown = events.map((event) => ({ event, hidden: new Set<string>() as Set<string> | undefined }))
  const viewers = new Set(events.flatMap((event) => event.viewers))
  const clearanceFor = viewers.size === 0 ? () => blind : yield* clearancesOf(viewers)
  for (const viewer of viewers) {
    const own = shown.filter(({ event, hidden }) => hidden !== undefined && event.viewers.includes(viewer))
    const sees = yield* sightOf(
      clearanceFor(viewer),
      own.map(({ event }) => event)
    )
    for (const each of own) {
      const { type, objectId, data } = each.event
      if (!sees(type, objectId)) each.hidden = undefined
      else visitNested(data, (of, id) => void (sees(of, id) || each.hidden?.add(nestedName(of, id))))
    }
  }
  return shown.map(({ event: { data }, hidden }): Seen | undefined =>
    hidden === undefined ? undefined : { data: masked(data, hidden), hidden: [...hidden] }
  )
})

/** Names of the objects inside an event (Masked.ts) that the current user may not view. */
export const hiddenFromSender = Effect.fnUntraced(function* (event: Omit<Told, "viewers">) {
  return [...hiddenIn(event.data, yield* sightOf(yield* Clearance, [event]))]
})

/** The data of each event as the current reader may see it, who may see its object. */
export const dataForReader = Effect.fnUntraced(function* (events: ReadonlyArray<Omit<Told, "viewers">>) {
  const sees = yield* sightOf(yield* Clearance, events)
  return events.map(({ data }): Json => masked(data, hiddenIn(data, sees)))
})

const hiddenIn = (data: Json, sees: (type: string, id: number) => boolean): ReadonlySet<string> => {
  const hidden = new Set<string>()
  visitNested(data, (of, id) => void (sees(of, id) || hidden.add(nestedName(of, id))))
  return hidden
}

/**
 * Whether an object that these events are about or show may be seen. One query per object type of which the clearance
 * covers only some objects.
 */
const sightOf = Effect.fnUntraced(function* (
  clearance: Clearance["Service"],
  events: ReadonlyArray<Omit<Told, "viewers">>
) {
  const wanted = new Map<string, Set<number>>()
  const want = (type: string, id: number): void => {
    const ids = wanted.get(type)
    if (ids === undefined) wanted.set(type, new Set([id]))
    else ids.add(id)
  }
  for (const { type, objectId, data } of events) {
    want(type, objectId)
    visitNested(data, want)
  }
  const visible = new Map<string, ReadonlySet<number> | "all">()
  for (const [type, ids] of wanted) visible.set(type, yield* visibleOf(clearance, type, ids))
  return (type: string, id: number): boolean => {
    const ids = visible.get(type)
    return ids === "all" || ids?.has(id) === true
  }
})

/** Longest time for the query of a permission's constraint: the reader of the WAL waits for it. */
const constraintMillisMax = 5000

const visibleOf = Effect.fnUntraced(function* ({ where }: Clearance["Service"], id: string, ids: ReadonlySet<number>) {
  const type = objectType(id)
  const allowed = where(type, "view")
  if (isEverything(allowed)) return "all" as const
  if (allowed.sql === nothing.sql) return new Set<number>()
  const sql = yield* SqlClient.SqlClient
  const { sql: condition, parameters } = allOf(whereIds([...ids]), allowed)
  return yield* Effect.andThen(
    sql`select set_config('statement_timeout', ${`${constraintMillisMax}`}, true)`,
    sql.unsafe<{ readonly id: string }>(`select t.id::text as id from ${type.table} t where ${condition}`, parameters)
  ).pipe(
    sql.withTransaction,
    Effect.map((rows) => new Set(rows.map((row) => Number(row.id)))),
    Effect.catchIf(isNotEvaluable, (error) =>
      Effect.as(
        Effect.logWarning(
          `auth: a permission's constraint cannot be evaluated, so it shows no ${id}: ${inWords(error)}`
        ),
        new Set<number>()
      )
    )
  )
})

/** Whether Postgres could not evaluate the constraint: a wrong pattern, a value of a wrong kind, too long a time. */
const isNotEvaluable = (error: SqlError.SqlError): boolean => /^(22|57014)/.test(sqlStateOf(error) ?? "")

/**
 * What users may see of events, where no request of theirs is at hand: a webhook that fires for what its `scope_user`
 * may view, a replay that somebody asked for and that is worked off later.
 *
 * The rule is that of the change log: an event is seen by who may view its object as it is now; who may view only some
 * objects of a type sees nothing of those that are gone. Objects inside that the user may not view are shown by id.
 * Permissions count as of now, inactive users see nothing.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { inWords } from "../Telemetry.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { objectType } from "../inventory/Registry.ts"
import { masked, nestedName, visitNested } from "../inventory/derive/represent/Masked.ts"
import type { Json } from "../inventory/derive/represent/Representation.ts"
import { allOf, asTexts, isEverything, nothing, whereIds } from "../inventory/derive/filter/Where.ts"
import { type FoundUser, permissionsOf, userColumns, userOf } from "./Authenticate.ts"
import { clearanceOf } from "./Permission.ts"

/** An event, and the users who must all be allowed to see it. */
export interface Told {
  readonly type: string
  readonly objectId: number
  readonly data: Json
  readonly viewers: ReadonlyArray<number>
}

/** An event as its viewers may see it. */
export interface Seen {
  readonly data: Json
  /** Objects inside that are shown by id alone (Masked.ts). */
  readonly hidden: ReadonlyArray<string>
}

/** May see nothing. */
const blind = Clearance.of({ where: () => nothing })

/** What these users may see; nothing, where one is inactive or gone. */
export const clearancesOf = Effect.fnUntraced(function* (ids: ReadonlySet<number>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql.unsafe<FoundUser>(
    `select ${userColumns} from users_user u where u.is_active and u.id = any ($1::text[]::bigint[])`,
    [asTexts(ids)]
  )
  const clearances = new Map<number, Clearance["Service"]>()
  for (const each of found) {
    const user = userOf(each)
    clearances.set(user.id, yield* clearanceOf({ user, mayWrite: false, permissions: yield* permissionsOf(each) }))
  }
  return (id: number): Clearance["Service"] => clearances.get(id) ?? blind
})

/** Each event as all its viewers may see it; undefined where one of them may not. Without viewers no query is made. */
export const seen = Effect.fnUntraced(function* (events: ReadonlyArray<Told>) {
  const hidden: Array<Set<string> | undefined> = events.map(() => new Set())
  const viewers = new Set(events.flatMap((event) => event.viewers))
  const clearances = viewers.size === 0 ? undefined : yield* clearancesOf(viewers)
  for (const viewer of viewers) {
    const places = events.flatMap((event, at) =>
      event.viewers.includes(viewer) && hidden[at] !== undefined ? [at] : []
    )
    const sees = yield* sightOf(
      clearances!(viewer),
      places.map((at) => events[at]!)
    )
    for (const at of places) {
      const { type, objectId, data } = events[at]!
      if (!sees(type, objectId)) hidden[at] = undefined
      else visitNested(data, (of, id) => void (sees(of, id) || hidden[at]!.add(nestedName(of, id))))
    }
  }
  return events.map(({ data }, at): Seen | undefined => {
    const names = hidden[at]
    return names && { data: masked(data, names), hidden: [...names] }
  })
})

/** Which of the objects that events are about or show may be seen: one query per object type of which only some may. */
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

/** Longest time that a permission's constraint may take: it is asked where the WAL is read. Milliseconds. */
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
    Effect.catchIf(cannotBeAsked, (error) =>
      Effect.as(
        Effect.logWarning(`auth: a permission's constraint shows no ${id}, it cannot be evaluated: ${inWords(error)}`),
        new Set<number>()
      )
    )
  )
})

/** Whether Postgres gave the constraint up: a pattern that is none, a value of the wrong kind, too long a time. */
const cannotBeAsked = ({ reason }: SqlError.SqlError): boolean =>
  /^(22|57014)/.test((reason.cause as { readonly code?: string } | undefined)?.code ?? "")

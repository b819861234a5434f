/**
 * The events that a user may see outside of a request: of a webhook with a `scope_user`, and of a replay, which runs
 * after the request for it.
 *
 * The rule is that of the change log: a user sees an event if that user may view its object as it is now. A user who
 * may view only some objects of a type sees no deleted ones. Objects inside that the user may not view are shown by id
 * (Masked.ts). Permissions count as of now; inactive users see nothing.
 *
 * Pages, searches, decisions and requests for a user are computed from the state that this file leaves.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { sourceTypeOf } from "../event/SourceType.ts"
import { sqlStateOf } from "../postgres/Postgres.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { objectType } from "../inventory/Registry.ts"
import {
  type ObjectState,
  type See,
  maskedState,
  mentionKey,
  visitMentions
} from "../inventory/derive/represent/Masked.ts"
import {
  type Where,
  allOf,
  asTexts,
  isEverything,
  isNothing,
  nothing,
  whereIds
} from "../inventory/derive/filter/Where.ts"
import { type FoundUser, permissionsOf, userColumns, userOf } from "./Authenticate.ts"
import { clearanceOf } from "./Permission.ts"

/** The part of an event that describes its object. */
interface EventSubject extends ObjectState {
  readonly type: string
  readonly objectId: number
}

/** An event and its viewers: all of them must be allowed to see it. */
interface SubjectForViewers extends EventSubject {
  readonly viewers: ReadonlyArray<number>
}

/** An event as all its viewers may see it. */
export interface EventView extends ObjectState {
  /** Keys of what is hidden in it (Masked.ts). */
  readonly hidden: ReadonlyArray<string>
}

/** Sees nothing. */
const blind = Clearance.of({ where: () => nothing })

/** These users with their permissions, as senders that may only read. Inactive ones are left out. */
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
export const seen = Effect.fnUntraced(function* (events: ReadonlyArray<SubjectForViewers>) {
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
      if (!sees(...subjectIn(each.event))) each.hidden = undefined
      else for (const key of hiddenIn(each.event, sees)) each.hidden?.add(key)
    }
  }
  return shown.map(({ event: { data, snapshots }, hidden }): EventView | undefined =>
    hidden === undefined ? undefined : { ...maskedState({ data, snapshots }, hidden), hidden: [...hidden] }
  )
})

/** For each event the keys of what the current reader, who may see its object, may not see inside (Masked.ts). */
export const hiddenFromReader = Effect.fnUntraced(function* (events: ReadonlyArray<EventSubject>) {
  const sees = yield* sightOf(yield* Clearance, events)
  return events.map((event) => hiddenIn(event, sees))
})

/** Whether an object may be seen, by its id or by the text of the unique field `by`. */
type Sees = (...mention: Parameters<See>) => boolean

/** The object whose visibility decides: that of the event, or the source for an event of one. */
const subjectIn = ({ type, objectId }: Pick<EventSubject, "type" | "objectId">): readonly [string, number] => {
  const of = sourceTypeOf(type)
  return of === undefined ? [type, objectId] : ["extras.source", of.source]
}

/** Permissions here say nothing about the objects inside an event of a source. */
const hiddenIn = (state: EventSubject, sees: Sees): ReadonlySet<string> => {
  const hidden = new Set<string>()
  if (sourceTypeOf(state.type) !== undefined) return hidden
  visitMentions(state, (...mention) => void (sees(...mention) || hidden.add(mentionKey(...mention))))
  return hidden
}

/** The column that identifies an object: names of tags are those that snapshots have. */
const columnOf = (of: number | string, by = "name"): string => (typeof of === "number" ? "id" : by)

/**
 * Whether an object that these events are about or show may be seen. One query per object type of which the clearance
 * covers only some objects, and one for each field whose texts identify objects: the objects that have the texts now.
 */
const sightOf = Effect.fnUntraced(function* (clearance: Clearance["Service"], events: ReadonlyArray<EventSubject>) {
  const wanted = new Map<
    string,
    { readonly type: string; readonly column: string; readonly of: Set<number | string> }
  >()
  const keyOf = (type: string, column: string): string => `${type} ${column}`
  const want: See = (type, of, by) => {
    const column = columnOf(of, by)
    const known = wanted.get(keyOf(type, column))
    if (known === undefined) wanted.set(keyOf(type, column), { type, column, of: new Set([of]) })
    else known.of.add(of)
  }
  for (const event of events) {
    want(...subjectIn(event))
    if (sourceTypeOf(event.type) === undefined) visitMentions(event, want)
  }
  const visible = new Map<string, ReadonlySet<string> | "all">()
  for (const [key, { type, column, of }] of wanted) visible.set(key, yield* visibleOf(clearance, type, column, of))
  const sees: Sees = (type, of, by) => {
    const found = visible.get(keyOf(type, columnOf(of, by)))
    return found === "all" || found?.has(`${of}`) === true
  }
  return sees
})

const whereOneOf = (column: string, of: ReadonlySet<number | string>): Where =>
  column === "id" ? whereIds([...of].map(Number)) : { sql: `t.${column} = any ($1::text[])`, parameters: [[...of]] }

/** Longest time for the query of a permission's constraint: the reader of the WAL waits for it. */
const constraintMillisMax = 5000

/** The column, as texts, of the objects with one of its given values that the clearance covers. */
const visibleOf = Effect.fnUntraced(function* (
  { where }: Clearance["Service"],
  id: string,
  column: string,
  of: ReadonlySet<number | string>
) {
  const type = objectType(id)
  const allowed = where(type, "view")
  if (isEverything(allowed)) return "all" as const
  if (isNothing(allowed)) return new Set<string>()
  const sql = yield* SqlClient.SqlClient
  const { sql: condition, parameters } = allOf(whereOneOf(column, of), allowed)
  return yield* Effect.andThen(
    sql`select set_config('statement_timeout', ${`${constraintMillisMax}`}, true)`,
    sql.unsafe<{ readonly name: string }>(
      `select t.${column}::text as name from ${type.table} t where ${condition}`,
      parameters
    )
  ).pipe(
    sql.withTransaction,
    Effect.map((rows) => new Set(rows.map((row) => row.name))),
    Effect.catchIf(isNotEvaluable, (error) =>
      Effect.as(
        Effect.logWarning(
          `auth: a permission's constraint cannot be evaluated, so it shows no ${id}: ${inWords(error)}`
        ),
        new Set<string>()
      )
    )
  )
})

/** Whether Postgres could not evaluate the constraint: a wrong pattern, a value of a wrong kind, too long a time. */
const isNotEvaluable = (error: SqlError.SqlError): boolean => /^(22|57014)/.test(sqlStateOf(error) ?? "")

/**
 * The webhooks as they were at a position of the WAL, for explanations of past changes.
 *
 * Capture keeps the latest versions (WebhookVersions.ts). Where they begin later, the change log has the definition:
 * the first change of a webhook after the position has its definition before it. The log has everything after a
 * change that it has, so this is exact, whatever the retention. A webhook without a change since is as its first
 * version.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isDictionary } from "../inventory/Field.ts"
import { columnOf } from "../inventory/ObjectType.ts"
import { objectType } from "../inventory/Registry.ts"
import { readableJson } from "../inventory/Unreadable.ts"
import { type Position, comparePositions, positionOf } from "../event/Position.ts"
import { bareType, sourceTypeOf } from "../event/SourceType.ts"
import { versionTable } from "./WebhookVersions.ts"
import { type MatchFields, matchFields } from "./WebhookIndex.ts"

const type = objectType("extras.webhook")

/** Most webhooks on the type that are evaluated, and most others that are named. */
const listeningMax = 1000
const othersMax = 1000

/** A webhook as it was. */
export interface PastWebhook {
  readonly id: number
  readonly name: string
  /** Undefined if its definition then is not known. */
  readonly fields: MatchFields | undefined
  /** Whether it listened to the type; the conditions of others are not read. */
  readonly listens: boolean
}

interface At extends Position {
  /** Time of the commit, ISO 8601. */
  readonly time: string
}

/** Commits may be in another order in the WAL than by their times. */
const slack = "1 hour"

/** A field of a definition `d`: versions have it by the name of its column, the change log by its own. */
const valueOf = (name: string): string => `coalesce(d->'${columnOf(type, name)}', d->'${name}')`

/** The fields that decide, and the name. Conditions may be long: they are read where they are needed. */
const decisive = (listens: string): string => {
  const value = (name: string) =>
    name === "conditions" ? `case when ${listens} then d->'conditions' end` : valueOf(name)
  return `json_build_object('name', d->>'name', ${matchFields.map((name) => `'${name}', ${value(name)}`).join(", ")})`
}

/** SQL: whether a definition listens to the type $4 of the source $5, or of the inventory where that is null. */
const listensTo = `coalesce(jsonb_typeof(d->'content_types') = 'array' and d->'content_types' ? $4
  and ${valueOf("source")} #>> '{}' is not distinct from $5::text, false)`

const statement = `
  with kept as (
    select distinct on (webhook_id) webhook_id as id, definition as d from ${versionTable.name}
     where (position, idx) <= ($1::bigint, $2::bigint) and webhook_id > 0
     order by webhook_id, position desc, idx desc),
  logged as (
    select distinct on (c.changed_object_id) c.changed_object_id as id, c.prechange_data::jsonb as d
      from extras_objectchange c
     where c.changed_object_type = 'extras.webhook' and c.time >= $3::timestamptz - interval '${slack}'
       and (c.position, c.idx) > ($1::bigint, $2::bigint)
       and not exists (select from kept k where k.id = c.changed_object_id)
     order by c.changed_object_id, c.position, c.idx),
  past as (
    select id, d, true as known from kept where d is not null
    union all select id, d, true from logged where jsonb_typeof(d) = 'object'
    union all select w.id, coalesce(v.definition, jsonb_build_object('name', w.name)), v.definition is not null
      from extras_webhook w
      left join lateral (
        select definition from ${versionTable.name} v
         where v.webhook_id = w.id order by v.position, v.idx limit 1) v on true
     where w.created <= $3::timestamptz
       and not exists (select from kept k where k.id = w.id) and not exists (select from logged l where l.id = w.id)),
  ranked as (
    select id, d, known, ${listensTo} as listens,
           row_number() over (partition by ${listensTo} order by id) as nth from past)
  select id::float8 as id, known, listens, ${decisive("listens")} as definition
    from ranked where nth <= case when listens then ${listeningMax} else ${othersMax} end + 1 order by listens desc, id`

/** The webhooks as of a change of this object type, the change itself included. */
export const webhooksAt = Effect.fnUntraced(function* ({ position, idx, time }: At, type: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{
    readonly id: number
    readonly known: boolean
    readonly listens: boolean
    readonly definition: unknown
  }>(statement, [`${position}`, `${idx}`, time, bareType(type), sourceTypeOf(type)?.source.toString() ?? null])
  const webhooks = rows.map(({ id, known, listens, definition }): PastWebhook => {
    const fields = fieldsOf(definition)
    return { id, listens, name: nameIn(definition), fields: known ? fields : undefined }
  })
  const [listening, others] = [webhooks.filter(({ listens }) => listens), webhooks.filter(({ listens }) => !listens)]
  return {
    webhooks: [...listening.slice(0, listeningMax), ...others.slice(0, othersMax)],
    isPartial: listening.length > listeningMax || others.length > othersMax
  }
})

const nameIn = (definition: unknown): string =>
  isDictionary(definition) && typeof definition["name"] === "string" ? definition["name"] : ""

/** A stored definition as matching reads it; a wrong value subscribes to nothing. */
export const fieldsOf = (definition: unknown): MatchFields => {
  const {
    content_types: types,
    scope_user: scope,
    source,
    conditions,
    ...flags
  } = isDictionary(definition) ? definition : ({} as Readonly<Record<string, unknown>>)
  return {
    enabled: flags["enabled"] === true,
    type_create: flags["type_create"] === true,
    type_update: flags["type_update"] === true,
    type_delete: flags["type_delete"] === true,
    content_types: Array.isArray(types) ? types.filter((each) => typeof each === "string") : [],
    conditions: readableJson(conditions),
    scope_user: typeof scope === "number" ? scope : null,
    source: typeof source === "number" ? source : null
  }
}

/** A definition of a webhook, and the place in the WAL from which on it counts. */
interface DatedDefinition extends Position {
  /** Undefined while the webhook does not exist. */
  readonly fields: MatchFields | undefined
  /** Time of the change that made it so; undefined for one that is older than what is read. */
  readonly since: string | undefined
}

/** Most changes of a webhook that are read. */
const changesMax = 200

const timelineStatement = `
  select c.position::text as position, c.idx::text as idx,
         to_char(c.time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as time,
         (select ${decisive("true")} from (select c.prechange_data::jsonb as d) p
           where jsonb_typeof(d) = 'object') as before,
         (select ${decisive("true")} from (select c.postchange_data::jsonb as d) p
           where jsonb_typeof(d) = 'object') as after
    from extras_objectchange c
   where c.changed_object_type = 'extras.webhook' and c.changed_object_id = $1::bigint
   order by c.position desc, c.idx desc limit ${changesMax}`

/**
 * How a webhook was defined, the newest definition first. Without any change in the log it is `current`, its row, since
 * ever. Before the oldest change that is read it was as that change found it.
 */
export const timelineOf = Effect.fnUntraced(function* (webhook: number, current: MatchFields) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{
    readonly position: string
    readonly idx: string
    readonly time: string
    readonly before: unknown
    readonly after: unknown
  }>(timelineStatement, [`${webhook}`])
  const timeline = rows.map(({ position, idx, time, after }): DatedDefinition => ({
    ...positionOf({ position, idx }),
    since: time,
    fields: after === null ? undefined : fieldsOf(after)
  }))
  const oldest = rows.at(-1)
  const first = oldest === undefined ? current : oldest.before === null ? undefined : fieldsOf(oldest.before)
  return [...timeline, { position: 0n, idx: 0, since: undefined, fields: first }]
})

/** The definition that counts at a place. */
export const definedAt = (timeline: ReadonlyArray<DatedDefinition>, place: Position): DatedDefinition =>
  timeline.find((each) => comparePositions(each, place) <= 0) ?? timeline.at(-1)!

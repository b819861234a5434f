/**
 * Changes of a source to events, with their `data`: the object as the API of the source shows it; where it does not, made
 * of the snapshot; for a deleted object, as it was known last.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { DataOrigin, SourceFacts } from "../event/Event.ts"
import { sourceTypeId } from "../event/SourceType.ts"
import type { RelayedEvent } from "../capture/RelayedEvent.ts"
import type { FetchedObject, ObjectName } from "./data/FetchedObject.ts"
import { flatData } from "./data/FlatData.ts"
import { freshness } from "./data/Freshness.ts"
import type { FoldedChange } from "./netbox/ChangeRow.ts"
import type { OwedEvent, RelayPart } from "./Relay.ts"

/** The source of events, as far as it is not in their rows. */
export interface EventSource {
  readonly id: number
  readonly name: string
  readonly apiUrl: string
  /** The type of a content type: `dcim.site`. */
  readonly typeOf: (contentType: number) => string
  /** Objects of the API, one for each name; undefined where the source has no API. */
  readonly fetch: ((objects: ReadonlyArray<ObjectName>) => Effect.Effect<ReadonlyArray<FetchedObject>>) | undefined
}

/** Longest event, characters: three texts, parsed where a webhook fires. */
const eventCharsMax = 16 * 1024 * 1024

/** A change with the name of its object. */
interface NamedChange {
  readonly change: FoldedChange
  readonly object: ObjectName
}

/** `data` and where it is from. */
interface KnownData {
  readonly json: string
  readonly origin: DataOrigin
  readonly problem?: string
}

export const eventsOf = Effect.fnUntraced(function* (source: EventSource, changes: ReadonlyArray<FoldedChange>) {
  const numbered = changes.filter(isNumbered)
  const named = numbered.map((change): NamedChange => {
    return { change, object: { type: source.typeOf(change.contentType), objectId: change.objectId } }
  })
  const found = yield* fetched(source, named)
  const last = yield* lastKnown(source, named)
  const events = named.map((each, at): OwedEvent => {
    const data = dataOf(source, each, found[at], last.get(keyOf(each.object)))
    return { event: eventOf(source, each, data), ids: each.change.ids }
  })
  const unused = changes.filter((change) => !isNumbered(change)).flatMap(({ ids }) => ids)
  return { events, unused } satisfies RelayPart
})

/** An event needs an object with a number: those of NetBox have one. */
const isNumbered = ({ objectId }: FoldedChange): boolean =>
  /^[1-9]\d*$/.test(objectId) && Number.isSafeInteger(Number(objectId))

const keyOf = ({ type, objectId }: ObjectName): string => `${type} ${objectId}`

/** The object of the API for each change; undefined for a deletion, and without an API. */
const fetched = Effect.fnUntraced(function* ({ fetch }: EventSource, named: ReadonlyArray<NamedChange>) {
  const wanted = new Map(
    named.flatMap(({ change, object }) => (change.kind === "deleted" ? [] : [[keyOf(object), object] as const]))
  )
  if (fetch === undefined || wanted.size === 0) return named.map((): FetchedObject | undefined => undefined)
  const read = Effect.fnUntraced(function* (objects: ReadonlyArray<ObjectName>) {
    const answers = yield* fetch(objects)
    return objects.map((object, at) => [keyOf(object), answers[at]!] as const)
  })
  const byKey = new Map(yield* read([...wanted.values()]))
  const early = named.filter(
    ({ change, object }) => change.kind !== "deleted" && isEarly(change, byKey.get(keyOf(object)))
  )
  if (early.length > 0) {
    yield* Effect.sleep(visiblePause)
    for (const [key, answer] of yield* read(early.map(({ object }) => object))) byKey.set(key, answer)
  }
  return named.map(({ object }) => byKey.get(keyOf(object)))
})

/** A commit is in the WAL a moment before other sessions see it. */
const visiblePause = "50 millis"

/** Whether the API does not show the change yet. */
const isEarly = ({ after }: FoldedChange, found: FetchedObject | undefined): boolean => {
  if (found?._tag === "Absent") return found.reason === "NotFound"
  return found !== undefined && freshness(snapshotOf(after), found) === "Older"
}

/** `data` of the objects that were deleted, as the change log has it. */
const lastKnown = Effect.fnUntraced(function* ({ id }: EventSource, named: ReadonlyArray<NamedChange>) {
  const deleted = named.filter(({ change }) => change.kind === "deleted")
  if (deleted.length === 0) return new Map<string, string>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly key: string; readonly data: string }>`
    select o.key, c.data from unnest(${deleted.map(({ object }) => keyOf(object))}::text[],
             ${deleted.map(({ object: { type } }) => sourceTypeId({ source: id, type }))}::text[],
             ${deleted.map(({ object }) => object.objectId)}::text[]) as o (key, type, id)
     cross join lateral (
       select c.data::text as data from extras_objectchange c
        where c.changed_object_type = o.type and c.changed_object_id = o.id::bigint and c.action <> 'delete'
          and c.source ->> 'data' in ('api', 'newer')
        order by c.time desc, c.position desc limit 1) c`
  return new Map(rows.map(({ key, data }) => [key, data]))
})

const dataOf = (
  { apiUrl }: EventSource,
  { change, object }: NamedChange,
  found: FetchedObject | undefined,
  last: string | undefined
): KnownData => {
  const { kind, display, before, after } = change
  if (kind === "deleted" && last !== undefined) return { json: last, origin: "last" }
  const flat = (problem?: string): KnownData => ({
    json: flatData({ ...object, display, snapshot: (kind === "deleted" ? before : after) ?? "null", apiUrl }),
    origin: "snapshot",
    ...(problem !== undefined && { problem })
  })
  if (found === undefined) return flat()
  if (found._tag === "Absent") return flat(found.message)
  const age = freshness(snapshotOf(after), found)
  if (age === "Older") return flat("The API showed the object as it was before the change.")
  return { json: found.json, origin: age === "Newer" ? "newer" : "api" }
}

/** A snapshot as far as its time can be read: it may be no JSON of a dictionary. */
const snapshotOf = (text: string | null): unknown => {
  const [, time] = /"last_updated": ?"([^"\\]{1,40})"/.exec(text ?? "") ?? []
  return time === undefined ? undefined : { last_updated: time }
}

const eventOf = (source: EventSource, { change, object }: NamedChange, data: KnownData): RelayedEvent => {
  const { display, username, requestId, kind, message } = change
  const facts: SourceFacts = {
    ...{ name: source.name, change: change.id, time: change.time, data: data.origin },
    ...(data.problem !== undefined && { problem: data.problem }),
    ...(change.isCut === true && { problem: "A state of the object is too long: it is left out." })
  }
  const json = { data: data.json, prechange: change.before ?? "null", postchange: change.after ?? "null" }
  return {
    objectType: sourceTypeId({ source: source.id, type: object.type }),
    objectId: Number(object.objectId),
    ...{ kind, display, username, requestId },
    ...(message !== "" && { message }),
    ...bounded(facts, json, flatData({ ...object, display, snapshot: "null", apiUrl: source.apiUrl }))
  }
}

/** Leaves out parts of an event that is too long, the data first; the event says so. */
const bounded = (
  facts: SourceFacts,
  json: RelayedEvent["json"],
  short: string
): Pick<RelayedEvent, "source" | "json"> => {
  const chars = ({ data, prechange, postchange }: RelayedEvent["json"]) =>
    data.length + prechange.length + postchange.length
  if (chars(json) <= eventCharsMax) return { source: facts, json }
  const problem = `The event is longer than ${eventCharsMax} characters: parts of it are left out.`
  const cut = { ...json, data: short }
  const source: SourceFacts = { ...facts, data: "snapshot", problem }
  return { source, json: chars(cut) <= eventCharsMax ? cut : { data: short, prechange: "null", postchange: "null" } }
}

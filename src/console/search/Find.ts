/** Searching the objects of every type, within a time limit. */
import { Duration, Effect, Option } from "effect"
import { lastCommitUpTo } from "../../changelog/LastCommit.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import type { Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { filter } from "../../inventory/derive/filter/Filter.ts"
import { type Visible, type Where, isNothing, equalTo } from "../../inventory/derive/filter/Where.ts"
import { typesWithId } from "../../inventory/read/Ids.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { type SearchKey, recognise } from "./Recognise.ts"

/** Most objects of a type that a search shows. */
export const shownMax = 5

/** A search queries one table after the other. It ends after this time with what it has found. */
const searchTime = Duration.seconds(2)

export interface SearchResult {
  readonly type: ObjectType
  /** Up to `shownMax`. */
  readonly objects: ReadonlyArray<{ readonly id: number; readonly display: string }>
  /** Query of the list with all of them; absent if these are all. */
  readonly more?: string
}

interface Lookup {
  readonly type: ObjectType
  readonly where: Where
  readonly more: (rows: ReadonlyArray<Row>) => string
}

/** The objects that the text names by its shape, then those whose searched fields hold it; of those the reader may see. */
export const find = Effect.fnUntraced(function* (text: string, base: string) {
  const visible = yield* visibleToSender
  const found: Array<SearchResult> = []
  const named = recognise(text)
  const search = Effect.gen(function* () {
    const lookups = named === undefined ? [] : yield* lookupsOf(named, visible)
    for (const lookup of [...lookups, ...textLookups(text, visible)]) {
      const objects = yield* foundBy(lookup, base)
      if (objects !== undefined) found.push(objects)
    }
  })
  const ended = yield* Effect.timeoutOption(search, searchTime)
  return { found, isComplete: Option.isSome(ended) }
})

const foundBy = Effect.fnUntraced(function* ({ type, where, more }: Lookup, base: string) {
  const { rows, beside } = yield* readPage(type, { where, ordering: [], limit: shownMax + 1, offset: 0 })
  if (rows.length === 0) return undefined
  const view = yield* viewFor(type, rows, base, beside)
  const objects = rows.slice(0, shownMax).map((row) => ({ id: row.id, display: type.display(row, view) }))
  return { type, objects, ...(rows.length > shownMax && { more: more(rows) }) } satisfies SearchResult
})

const isVisible = (visible: Visible) => (type: ObjectType) => !isNothing(visible(type))

const objectTypes = [...registry.values()].filter(({ kind }) => kind === "object")

const textLookups = (text: string, visible: Visible): ReadonlyArray<Lookup> =>
  objectTypes
    .filter((type) => type.search.length > 0 && isVisible(visible)(type))
    .flatMap((type) => {
      const filtered = filter(type, [["q", text]], visible)
      return "errors" in filtered ? [] : [{ type, where: filtered.where, more: () => `q=${encodeURIComponent(text)}` }]
    })

const changeType = objectType("extras.objectchange")
const deliveryType = objectType("extras.delivery")

const lookupsOf = (named: SearchKey, visible: Visible) => {
  switch (named.kind) {
    case "object":
      return withId(named.id, visible)
    case "request":
      return Effect.succeed(ofRequest(named.id, visible))
    case "delivery": {
      const where = equalTo(deliveryType, { delivery_id: named.id })
      return Effect.succeed(visibleOf(visible, [{ type: deliveryType, where, more: () => "" }]))
    }
    case "lsn":
      return Effect.map(lastCommitUpTo(named.lsn, visible(changeType)), (where) =>
        visibleOf(visible, [{ type: changeType, where, more: ([row]) => `request_id=${String(row?.["request_id"])}` }])
      )
  }
}

const visibleOf = (visible: Visible, lookups: ReadonlyArray<Lookup>): ReadonlyArray<Lookup> =>
  lookups.filter(({ type }) => isVisible(visible)(type))

const ofRequest = (id: string, visible: Visible): ReadonlyArray<Lookup> => {
  const more = () => `request_id=${id}`
  return visibleOf(visible, [
    { type: changeType, where: equalTo(changeType, { request_id: id }), more },
    { type: deliveryType, where: equalTo(deliveryType, { request_id: id }), more }
  ])
}

/** The types that have an object of the id. */
const withId = Effect.fnUntraced(function* (id: number, visible: Visible) {
  const types = yield* typesWithId(objectTypes.filter(isVisible(visible)), id)
  return types.map((type): Lookup => ({ type, where: equalTo(type, { id }), more: () => "" }))
})

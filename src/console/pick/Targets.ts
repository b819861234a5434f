/** Finds objects to refer to by what people know of them: a name, a slug, an address, an id. */
import { Effect } from "effect"
import { visibleToSender } from "../../inventory/Clearance.ts"
import { type Row, type View, isDictionary } from "../../inventory/Field.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { filter } from "../../inventory/derive/filter/Filter.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import {
  type Visible,
  type Where,
  allOf,
  anyOf,
  isEverything,
  refersToOne
} from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { countEach } from "../../inventory/read/CountEach.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { number } from "../list/Pager.ts"
import { narrowed } from "./Narrowing.ts"

export interface TargetRow {
  readonly id: number
  readonly display: string
  /** Text that distinguishes it from others of the same name: its device, its site. */
  readonly detail: string
}

/** Most objects that a search finds. */
const foundMax = 20

/** Further objects are counted up to this number. */
const moreMax = 1000

/** Longest text of a search, characters, and most words of it. */
export const searchCharsMax = 200
const wordsMax = 6

/**
 * The objects that match every word of the text, and how many more there are: `moreMax + 1` if there are more than that.
 * `chosen`: the values of other fields of the form (Narrowing.ts). Reads with four statements at most, whatever the
 * number of objects.
 */
export const findTargets = Effect.fnUntraced(function* (
  type: ObjectType,
  text: string,
  base: string,
  chosen: (field: string) => ReadonlyArray<string>
) {
  const visible = yield* visibleToSender
  const within = narrowed(type, chosen, visible)
  const words = wordsOf(text)
  const pages = Effect.fnUntraced(function* (where: Where) {
    const { rows, beside } = yield* readPage(type, {
      where: allOf(where, ...within),
      ordering: [],
      limit: foundMax + 1,
      offset: 0
    })
    const view = yield* viewFor(type, rows, base, beside)
    return rows.map((row) => foundOf(type, row, view))
  })
  let where = allOf(...words.map((word) => ownWhere(type, word, visible)))
  let found = yield* pages(where)
  if (found.length === 0 && words.length > 1) {
    where = allOf(...words.map((word) => anyOf(ownWhere(type, word, visible), behind(type, word, visible))))
    found = yield* pages(where)
  }
  if (found.length <= foundMax) return { found, more: 0 }
  const [count = 0] = yield* countEach([{ type, where: allOf(where, ...within) }], foundMax + moreMax + 1)
  const more = Math.max(count - foundMax, 1)
  if (words.length === 0) return { found: found.slice(0, foundMax), more }
  // An object of exactly this name is first, though others sort before it.
  const exact = yield* pages(exactWhere(type, text.trim(), visible))
  const ids = new Set(exact.map(({ id }) => id))
  return { found: [...exact, ...found.filter(({ id }) => !ids.has(id))].slice(0, foundMax), more }
})

/** `37 more`; `more than 1,000 more`. */
export const moreText = (more: number): string =>
  more > moreMax ? `more than ${number(moreMax)} more` : `${number(more)} more`

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, searchCharsMax)
    .split(/[\s()[\],;]+/)
    .filter((word) => word !== "")
    .slice(0, wordsMax)

/** The condition of one filter; nothing if the type has no such filter. */
const filtered = (type: ObjectType, name: string, value: string, visible: Visible): ReadonlyArray<Where> => {
  const made = filter(type, [[name, value]], visible)
  return "errors" in made || isEverything(made.where) ? [] : [made.where]
}

/** Objects that hold the word in a searched field or in their key, or have it as their id. */
const ownWhere = (type: ObjectType, word: string, visible: Visible): Where => {
  const key = naturalKey(type)
  return anyOf(
    ...filtered(type, "q", word, visible),
    ...(key === "id" || type.search.includes(key) ? [] : filtered(type, `${key}__ic`, word, visible)),
    ...(/^\d{1,15}$/.test(word) ? filtered(type, "id", word, visible) : [])
  )
}

const exactWhere = (type: ObjectType, text: string, visible: Visible): Where =>
  anyOf(...[...new Set([naturalKey(type), "name"])].flatMap((name) => filtered(type, `${name}__ie`, text, visible)))

/** The references that belong to what an object is called: those in its brief representation, and required ones. */
const parents = perType((type) =>
  Object.entries(type.fields).filter(
    ([name, { reference, initial }]) =>
      reference?.many === false && (type.brief.includes(name) || initial === undefined)
  )
)

/** Objects whose parent holds the word: the interfaces of a device of this name. */
const behind = (type: ObjectType, word: string, visible: Visible): Where =>
  anyOf(
    ...parents(type).map(([name, { reference }]): Where => {
      const target = objectType(reference!.type)
      return refersToOne(type, name, target, allOf(ownWhere(target, word, visible), visible(target)))
    })
  )

const foundOf = (type: ObjectType, row: Row, view: View): TargetRow => {
  const shown = representation(type, row, view) as Readonly<Record<string, unknown>>
  const details = telling(type).flatMap((name) => {
    const texts = displaysIn(shown[name])
    return texts.length === 0 ? [] : [texts.join(" ")]
  })
  return { id: row.id, display: String(shown["display"]), detail: details.slice(0, detailsMax).join(" · ") }
}

/** The display of a nested object, after those of the objects inside it: `leaf-01 eth0`. */
const displaysIn = (value: unknown): ReadonlyArray<string> => {
  if (!isDictionary(value) || typeof value["url"] !== "string") return []
  return [...Object.values(value).flatMap(displaysIn), String(value["display"])]
}

/** Most objects that a detail names. */
const detailsMax = 2

/** References by which people distinguish objects of the type, the most specific ones first: parents, then places. */
const telling = perType((type): ReadonlyArray<string> => {
  const single = Object.entries(type.fields).filter(
    ([, { reference, wire }]) => reference?.many === false && wire === "both"
  )
  const isParent = new Set(parents(type).map(([name]) => name))
  const rank = ([name, { reference }]: (typeof single)[number]): number =>
    type.brief.includes(name) ? 0 : objectType(reference!.type).fieldGroup === "Place" ? 1 : isParent.has(name) ? 2 : 3
  return [
    ...single.sort((a, b) => rank(a) - rank(b)).map(([name]) => name),
    ...Object.values(type.fields).flatMap(({ generic }) =>
      generic === undefined ? [] : generic.id.replace(/_id$/, "")
    )
  ]
})

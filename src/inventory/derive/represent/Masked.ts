/**
 * Cuts the state of an object down to the objects that a reader may see. Pure.
 *
 * A hidden object inside is shown by its id alone, as in the API (Read.ts). A value that is made of a hidden object, such
 * as the display of a device without a name, is made again without it. An object that a text alone identifies is left
 * out: tags by their names in snapshots, and by their slugs in config contexts.
 */
import { type Row, type View, isDictionary } from "../../Field.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { objectType, registry } from "../../Registry.ts"
import { type Json, viewOf } from "./Representation.ts"

/** An object as an event carries it. */
export interface ObjectState {
  readonly data: Json
  readonly snapshots?: { readonly prechange: unknown; readonly postchange: unknown } | undefined
}

export const tagType = "extras.tag"

/** The unique field by which a text identifies an object, where nothing else is said: tags in snapshots. */
const usualKey = "name"

/** Called with an object that is shown: its id, or the text of its unique field `by`. */
export type See = (type: string, of: number | string, by?: string) => void

/** The key of an object in the set of hidden ones: by its id, or by the text of a unique field. */
export const mentionKey = (type: string, of: number | string, by = usualKey): string =>
  `${type} ${by === usualKey ? "" : `${by} `}${typeof of === "number" ? of : JSON.stringify(of)}`

/** The id of an object that the shown part does not identify: no object has it. */
export const unknownId = 0

const typesByPath: ReadonlyMap<string, string> = new Map([...registry.values()].map(({ id, path }) => [path, id]))

/** Fields whose objects are shown by a text alone. */
interface TextField {
  readonly name: string
  readonly type: string
  readonly by: string
}

/** By type, for types that have any. */
const textFields: ReadonlyMap<string, ReadonlyArray<TextField>> = new Map(
  [...registry.values()].flatMap(({ id, fields }) => {
    const shown = Object.entries(fields).flatMap(([name, { reference }]) =>
      reference?.shownBy === undefined ? [] : [{ name, type: reference.type, by: reference.shownBy }]
    )
    return shown.length === 0 ? [] : [[id, shown] as const]
  })
)

const textsOf = (json: object, { name }: TextField): ReadonlyArray<string> => stringsIn((json as Json)[name])

const stringsIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : []

/** Deepest nesting that is searched: representations have less, only JSON fields have more. */
const depthMax = 12

/** Calls `see` with every object that the state shows or is made of, and with the name of every tag of its snapshots. */
export const visitMentions = ({ data, snapshots }: ObjectState, see: See): void => {
  visit(data, see, 0)
  for (const snapshot of [snapshots?.prechange, snapshots?.postchange]) {
    for (const name of tagNamesIn(snapshot)) see(tagType, name)
  }
}

const visit = (value: unknown, see: See, depth: number): void => {
  if (typeof value !== "object" || value === null || depth > depthMax) return
  const nested = nestedOf(value)
  if (nested !== undefined) {
    if (depth > 0) see(nested.type.id, nested.id)
    for (const { from } of borrowedBy(nested.type, value as Json, depth)) from.forEach(([type, id]) => see(type, id))
    for (const field of textFields.get(nested.type.id) ?? []) {
      for (const text of textsOf(value, field)) see(field.type, text, field.by)
    }
  }
  for (const each of Object.values(value)) visit(each, see, depth + 1)
}

/** The state without what is hidden. Parts that hide nothing stay the same objects. */
export const maskedState = <State extends ObjectState>(state: State, hidden: ReadonlySet<string>): State => {
  if (hidden.size === 0) return state
  const { data, snapshots } = state
  return { ...state, data: maskedInside(data, hidden, 0), ...(snapshots && { snapshots: sidesOf(snapshots, hidden) }) }
}

const sidesOf = (snapshots: NonNullable<ObjectState["snapshots"]>, hidden: ReadonlySet<string>) => {
  const prechange = withoutTags(snapshots.prechange, hidden)
  const postchange = withoutTags(snapshots.postchange, hidden)
  const isSame = prechange === snapshots.prechange && postchange === snapshots.postchange
  return isSame ? snapshots : { prechange, postchange }
}

const maskedInside = (value: unknown, hidden: ReadonlySet<string>, depth: number): unknown => {
  if (typeof value !== "object" || value === null || depth > depthMax) return value
  const nested = nestedOf(value)
  if (depth > 0 && nested !== undefined && hidden.has(mentionKey(nested.type.id, nested.id))) {
    return { id: nested.id, url: nested.url, display: `#${nested.id}` }
  }
  const own = new Map<string, unknown>(
    (nested === undefined ? [] : borrowedBy(nested.type, value as Json, depth)).flatMap(({ name, from, without }) =>
      from.some(([type, id]) => hidden.has(mentionKey(type, id))) ? [[name, without] as const] : []
    )
  )
  for (const field of (nested && textFields.get(nested.type.id)) ?? []) {
    const texts = textsOf(value, field)
    const left = texts.filter((text) => !hidden.has(mentionKey(field.type, text, field.by)))
    if (left.length < texts.length) own.set(field.name, left)
  }
  const before = Object.entries(value)
  const after = before.map(
    ([name, each]) => [name, own.has(name) ? own.get(name) : maskedInside(each, hidden, depth + 1)] as const
  )
  if (after.every(([, each], at) => each === before[at]![1])) return value
  return Array.isArray(value) ? after.map(([, each]) => each) : Object.fromEntries(after)
}

/** A nested object is recognised by its id and its URL. */
const nestedOf = (
  value: object
): { readonly type: ObjectType; readonly id: number; readonly url: string } | undefined => {
  if (!("id" in value && "url" in value) || typeof value.id !== "number" || typeof value.url !== "string")
    return undefined
  const [, path, id] = /(\/api\/[a-z]+\/[a-z-]+\/)(\d+)\/$/.exec(value.url) ?? []
  const type = typesByPath.get(path ?? "")
  return type === undefined || Number(id) !== value.id
    ? undefined
    : { type: objectType(type), id: value.id, url: value.url }
}

/** A value that an object shows and that is made of other objects. */
interface BorrowedName {
  readonly name: string
  readonly from: ReadonlyArray<readonly [type: string, id: number]>
  /** The value where these objects are not seen. */
  readonly without: unknown
}

/** A nested object shows its display alone of these values. */
const borrowedBy = (type: ObjectType, json: Json, depth: number): ReadonlyArray<BorrowedName> => {
  if (type.displayBy.length === 0 && (depth > 0 || type.derivedBy.length === 0)) return []
  const row = rowOf(json)
  const found = [borrowed("display", (view) => type.display(row, view))]
  if (depth === 0 && type.derivedBy.length > 0) {
    for (const [name, { of }] of Object.entries(type.derived)) found.push(borrowed(name, (view) => of(row, view)))
  }
  return found.filter(({ name, from }) => from.length > 0 && Object.hasOwn(json, name))
}

const borrowed = (name: string, make: (view: View) => unknown): BorrowedName => {
  const from: Array<readonly [string, number]> = []
  const row = (type: string, id: number) => {
    // A reference that is null is 0 here, and one that a brief representation leaves out is not a number.
    if (id !== 0) from.push([type, Number.isSafeInteger(id) ? id : unknownId])
    return undefined
  }
  return { name, from, without: make({ ...viewOf("", { row }), nested: () => null }) }
}

/** The row as far as a representation has it: objects as ids, choices as values. */
const rowOf = (json: Json): Row => {
  const plain = Object.entries(json).map(([name, value]) => {
    if (!isDictionary(value)) return [name, value] as const
    return [name, "url" in value ? value["id"] : "value" in value ? value["value"] : value] as const
  })
  return Object.fromEntries(plain) as Row
}

const noRow: View = viewOf("", { row: () => undefined })

/** The name of an object that reveals nothing about other objects: everybody who may see the object may see it. */
export const ownDisplay = (type: ObjectType, row: Row): string => type.display(row, noRow)

/** The names of tags that a snapshot holds. */
export const tagNamesIn = (snapshot: unknown): ReadonlyArray<string> =>
  isDictionary(snapshot) ? stringsIn(snapshot["tags"]) : []

/** The snapshot without the names of hidden tags; the same one if it has none of them. */
export const withoutTags = <Snapshot>(snapshot: Snapshot, hidden: ReadonlySet<string>): Snapshot => {
  const isHidden = (name: unknown) => typeof name === "string" && hidden.has(mentionKey(tagType, name))
  if (!isDictionary(snapshot) || !tagNamesIn(snapshot).some(isHidden)) return snapshot
  return { ...snapshot, tags: (snapshot["tags"] as ReadonlyArray<unknown>).filter((name) => !isHidden(name)) }
}

/**
 * The difference of two JSON values as people read it: only the places that differ, each with its path. Long texts are
 * compared by word, lists of plain values by item. Pure, and each step takes a bounded time.
 */
import { isDictionary } from "../../inventory/Field.ts"

/** A word of a text, or an item of a list. */
export interface Piece {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

export interface Difference {
  /** Keys of dictionaries and positions in lists, from the outside in. */
  readonly path: ReadonlyArray<string | number>
  /** Undefined where there is no such place on this side. */
  readonly before: unknown
  readonly after: unknown
  /** Both sides as one sequence, where they are long texts or lists of plain values. */
  readonly words?: ReadonlyArray<Piece>
  readonly items?: ReadonlyArray<Piece>
}

export interface Differences {
  readonly found: ReadonlyArray<Difference>
  /** Whether the comparison ended early. */
  readonly isCut: boolean
}

/** Most differences that are shown. */
export const differencesMax = 200

/** Most places that are compared. */
const placesMax = 20_000

/** Least length of a text that is compared by word, characters. */
const longTextLength = 60

/** Most characters of two texts together that are compared by word. */
const wordsLengthMax = 20_000

/** Most items of two lists together that are compared by item. */
const itemsMax = 4000

/** Most words or items that are removed or added before the rest counts as replaced. */
const editsMax = 250

interface Place {
  readonly path: Difference["path"]
  readonly before: unknown
  readonly after: unknown
}

/** Compares two values in steps; one side is undefined for an object that was created or deleted. */
export function* comparing(before: unknown, after: unknown): Generator<void, Differences> {
  const found: Array<Difference> = []
  const left: Array<Place> = [{ path: [], before, after }]
  let compared = 0
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    if (found.length === differencesMax || compared === placesMax) return { found, isCut: true }
    compared += 1
    if (place.before === place.after) continue
    const inside = placesWithin(place)
    if (inside === undefined) {
      const difference = differenceOf(place)
      if (difference !== undefined) found.push(difference)
    } else for (const each of inside) left.push(each)
    yield
  }
  return { found, isCut: false }
}

/** The places inside a value, the last one first; undefined where it is compared as a whole. */
const placesWithin = ({ path, before, after }: Place): ReadonlyArray<Place> | undefined => {
  if (isDictionary(before) && isDictionary(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    const side = (value: typeof before, key: string) => (Object.hasOwn(value, key) ? value[key] : undefined)
    return [...keys].toReversed().map((key) => ({
      path: [...path, key],
      before: side(before, key),
      after: side(after, key)
    }))
  }
  if (!Array.isArray(before) || !Array.isArray(after) || isPlain(before, after)) return undefined
  const length = Math.max(before.length, after.length)
  return Array.from({ length }, (_, at) => ({
    path: [...path, length - 1 - at],
    before: before[length - 1 - at] as unknown,
    after: after[length - 1 - at] as unknown
  }))
}

/** Whether the lists hold no lists or dictionaries. */
const isPlain = (...lists: ReadonlyArray<ReadonlyArray<unknown>>): boolean =>
  lists.every((list) => list.every((item) => typeof item !== "object" || item === null))

const differenceOf = (place: Place): Difference | undefined => {
  const { before, after } = place
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length + after.length > itemsMax) return place
    const items = edits(before.map(itemText), after.map(itemText))
    return items.every(({ kind }) => kind === "same") ? undefined : { ...place, items }
  }
  if (typeof before !== "string" || typeof after !== "string") return place
  const isLong = Math.max(before.length, after.length) >= longTextLength
  if (!isLong || before.length + after.length > wordsLengthMax) return place
  return { ...place, words: merged(removedFirst(untied(edits(wordsIn(before), wordsIn(after))))) }
}

const itemText = (item: unknown): string => (typeof item === "string" ? item : JSON.stringify(item))

/** Words, runs of white space, and single signs. Everything beyond ASCII counts as part of a word. */
const wordsIn = (text: string): ReadonlyArray<string> => text.match(/\s+|[\w\u0080-\uffff]+|[^\s\w]/g) ?? []

const pieces = (kind: Piece["kind"], texts: ReadonlyArray<string>): ReadonlyArray<Piece> =>
  texts.map((text) => ({ kind, text }))

/** Both sequences as one. Between two common pieces the removed ones come first. */
const edits = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<Piece> => {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return [
    ...pieces("same", before.slice(0, start)),
    ...shortest(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...pieces("same", before.slice(before.length - end))
  ]
}

/** Myers' algorithm: the fewest edits. Replaces everything where there are more than `editsMax`. */
const shortest = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<Piece> => {
  const numbers = new Map<string, number>()
  const numbered = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
  // Numbers are compared several times as fast as texts.
  const [one, other] = [Int32Array.from(before, numbered), Int32Array.from(after, numbered)]
  const most = Math.min(before.length + after.length, editsMax)
  const middle = most + 1
  // By diagonal (removed less added pieces): how far into `before` so many edits lead.
  const reach = new Int32Array(2 * most + 3)
  const rounds: Array<Int32Array> = []
  for (let round = 0; round <= most; round++) {
    rounds.push(reach.slice(middle - round - 1, middle + round + 2))
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      const [removing, adding] = [reach[middle + diagonal - 1]! + 1, reach[middle + diagonal + 1]!]
      let at = diagonal === -round || (diagonal !== round && removing <= adding) ? adding : removing
      while (at < one.length && at - diagonal < other.length && one[at] === other[at - diagonal]) at++
      reach[middle + diagonal] = at
      if (at >= one.length && at - diagonal >= other.length) return retraced(before, after, rounds)
    }
  }
  return [...pieces("removed", before), ...pieces("added", after)]
}

/** The edits of the way that the rounds found, from its end to its start. */
const retraced = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>,
  rounds: ReadonlyArray<Int32Array>
): ReadonlyArray<Piece> => {
  const found: Array<Piece> = []
  let [at, other] = [before.length, after.length]
  for (const [round, reach] of [...rounds.entries()].toReversed()) {
    const diagonal = at - other
    const [removing, adding] = [reach[diagonal + round]! + 1, reach[diagonal + round + 2]!]
    const isAdded = diagonal === -round || (diagonal !== round && removing <= adding)
    const from = isAdded ? adding : removing - 1
    const otherFrom = from - (isAdded ? diagonal + 1 : diagonal - 1)
    for (; at > from && other > otherFrom; at--, other--) found.push({ kind: "same", text: before[at - 1]! })
    if (round === 0) break
    found.push(isAdded ? { kind: "added", text: after[other - 1]! } : { kind: "removed", text: before[at - 1]! })
    at = from
    other = otherFrom
  }
  return removedFirst(found.toReversed())
}

const removedFirst = (found: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const sorted: Array<Piece> = []
  let added: Array<Piece> = []
  for (const piece of found) {
    if (piece.kind === "added") added.push(piece)
    else {
      if (piece.kind === "same") {
        sorted.push(...added)
        added = []
      }
      sorted.push(piece)
    }
  }
  return [...sorted, ...added]
}

/** White space between two changed words counts as changed: several words in a row read better as one. */
const untied = (found: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  found.flatMap((piece, at): ReadonlyArray<Piece> => {
    const isChanged = (other: Piece | undefined) => other !== undefined && other.kind !== "same"
    const ties = piece.kind === "same" && isChanged(found[at - 1]) && isChanged(found[at + 1])
    if (!ties || piece.text.trim() !== "") return [piece]
    return [
      { kind: "removed", text: piece.text },
      { kind: "added", text: piece.text }
    ]
  })

/** Neighbours of one kind as one piece. */
const merged = (found: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const joined: Array<{ readonly kind: Piece["kind"]; readonly texts: Array<string> }> = []
  for (const { kind, text } of found) {
    const last = joined.at(-1)
    if (last?.kind === kind) last.texts.push(text)
    else joined.push({ kind, texts: [text] })
  }
  return joined.map(({ kind, texts }) => ({ kind, text: texts.join("") }))
}

/** `custom_fields.cost`, `ports[2].name`. */
export const pathText = (path: Difference["path"]): string =>
  path
    .map((step, at) =>
      typeof step === "number" ? `[${step}]` : /^[\w-]+$/.test(step) ? `${at === 0 ? "" : "."}${step}` : `["${step}"]`
    )
    .join("")

/**
 * Compares a NetBox database with the inventory, field by field and in both directions, after a move or days later.
 * It distinguishes changes that a side has made since from errors of the move, and it changes nothing.
 */
import { Effect } from "effect"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { changeType } from "../inventory/read/Changes.ts"
import { imageFieldsOf } from "../inventory/image/ImageField.ts"
import type { Catalogue } from "./source/Catalogue.ts"
import { anyTime, differencesOf } from "./Compare.ts"
import { compareHistory } from "./History.ts"
import { imagesHere, isNamed, isSame } from "./Images.ts"
import { type SourceRow, convert } from "./source/Convert.ts"
import { type NewRow, only } from "./Load.ts"
import { type MovedObject, digestOf, eachId, hasMoved, knownOf } from "./state/Moved.ts"
import { tableLines } from "./Report.ts"
import { type Selection, rowsStatement } from "./source/Selection.ts"
import { type Source, type SourceAddress, withSource } from "./source/Source.ts"
import { isKnown } from "./Transfer.ts"

/** On which sides an object was changed since the last move. */
type Since = "here" | "there" | "both" | "neither"

export interface Deviation {
  readonly kind: "differs" | "missing here" | "missing there" | "refused"
  readonly type: string
  readonly id: number
  readonly fields: ReadonlyArray<string>
  readonly since: Since
}

interface VerifiedType {
  readonly type: string
  rows: number
  equal: number
  /** Objects that were changed, made or deleted here since the last move, there, or on both sides. */
  here: number
  there: number
  both: number
  /** Objects that differ though no side was changed since: those of a wrong move. */
  wrong: number
}

export interface VerifyReport {
  readonly release: string
  readonly types: ReadonlyArray<VerifiedType>
}

interface VerifyOptions {
  readonly source: SourceAddress
  /** Receives each object that differs. */
  readonly note: (deviation: Deviation) => void
  readonly progress: (type: string, rows: number, of: number) => Effect.Effect<void>
}

export const verify = (options: VerifyOptions) =>
  withSource(options.source, (source) =>
    Effect.gen(function* () {
      const { release, selections } = source
      const wasMoved = yield* hasMoved
      const types: Array<VerifiedType> = []
      for (const selection of selections) types.push(yield* verifyType({ source, selection, options, wasMoved }))
      const log = yield* verifyHistory(source, options)
      return { release, types: log.rows > 0 ? [...types, log] : types } satisfies VerifyReport
    })
  )

const nothingVerified = ({ id }: ObjectType): VerifiedType => ({
  ...{ type: id, rows: 0, equal: 0, here: 0, there: 0, both: 0, wrong: 0 }
})

/** Changes are never updated: one that is missing here and later than the last one that was moved was made since. */
const verifyHistory = Effect.fnUntraced(function* (source: Source, { note, progress }: VerifyOptions) {
  const counts = nothingVerified(changeType)
  yield* compareHistory(source, ({ rows, of, missing, differing, last }) => {
    counts.rows += rows
    counts.equal += rows - missing.length - differing.length
    const found = [
      ...missing.map((id) => ({ kind: "missing here", id, since: id > last ? "there" : "neither" }) as const),
      ...differing.map((id) => ({ kind: "differs", id, since: "neither" }) as const)
    ]
    for (const each of found) {
      counts[each.since === "there" ? "there" : "wrong"] += 1
      note({ ...each, type: changeType.id, fields: [] })
    }
    return progress(changeType.id, counts.rows, of)
  })
  return counts
})

interface Verifying {
  readonly source: Source
  readonly selection: Selection
  readonly options: VerifyOptions
  /** Whether a move took place: without one every difference is wrong. */
  readonly wasMoved: boolean
}

const verifyType = Effect.fnUntraced(function* ({ source, selection, options, wasMoved }: Verifying) {
  const { type, table, where } = selection
  const counts = nothingVerified(type)
  const of = yield* source.snapshot.count(table, where)
  const note = (deviations: ReadonlyArray<Deviation>) => {
    for (const deviation of deviations) {
      counts[deviation.since === "neither" ? "wrong" : deviation.since] += 1
      options.note(deviation)
    }
  }
  yield* source.pages(selection, rowsStatement(selection), (page) =>
    Effect.gen(function* () {
      const deviations = yield* deviationsOf(selection, source.catalogue, page, wasMoved)
      counts.rows += page.length
      counts.equal += page.length - deviations.length
      note(deviations)
      yield* options.progress(type.id, counts.rows, of)
    })
  )
  yield* eachId(type.table, {}, (ids) =>
    Effect.gen(function* () {
      const there = yield* source.idsAmong(selection, ids)
      const known = yield* knownOf(
        selection,
        ids.filter((id) => !there.has(id)).map((id) => ({ id, now: undefined }))
      )
      note(
        known.map(({ id, last, isChangedHere }) => ({
          ...{ kind: "missing there", type: type.id, id, fields: [] },
          // An object that no move has written was made here.
          since: last === undefined ? "here" : isChangedHere ? "both" : "there"
        }))
      )
    })
  )
  return counts
})

/** The rows of a page that differ from the objects here. */
const deviationsOf = Effect.fnUntraced(function* (
  selection: Selection,
  catalogue: Catalogue,
  page: ReadonlyArray<SourceRow>,
  wasMoved: boolean
) {
  const { type, fields } = selection
  const around = { contentTypes: catalogue.contentTypes, isKnown, began: anyTime }
  // Webhooks are moved disabled, and files of images get names of ours.
  const others = type.id === "extras.webhook" ? ["enabled"] : imageFieldsOf(type).map((image) => image.name)
  const compared = fields.flatMap(({ name, kind }) => (kind === "initial" || others.includes(name) ? [] : [name]))
  const refused = new Set<number>()
  const rows = page.flatMap((source): ReadonlyArray<NewRow> => {
    const converted = convert(selection, source, around)
    if ("row" in converted) return [only(converted.row, compared)]
    refused.add(source.id)
    return []
  })
  const verbatim = fields.flatMap(({ name, kind }) => (kind === "verbatim" && compared.includes(name) ? [name] : []))
  const found = yield* differencesOf(type, rows, verbatim)
  const columns = new Map(found.map((each) => [each.id, each.columns]))
  for (const [id, names] of yield* imagesApart(selection, page)) {
    const differing = columns.has(id) ? columns.get(id) : []
    // An object that is missing here has no fields to name.
    if (differing !== undefined) columns.set(id, [...differing, ...names])
  }
  const different = page.filter(({ id }) => refused.has(id) || columns.has(id))
  const known = yield* knownOf(
    selection,
    different.map((row) => ({ id: row.id, now: digestOf(row) }))
  )
  return known.map((each): Deviation => ({
    kind: refused.has(each.id) ? "refused" : columns.get(each.id) === undefined ? "missing here" : "differs",
    ...{ type: type.id, id: each.id, fields: columns.get(each.id) ?? [] },
    since: wasMoved && !refused.has(each.id) ? sidesOf(each) : "neither"
  }))
})

/** The fields of optional images that one side alone has, or whose files have other names, by the id of the object. */
const imagesApart = Effect.fnUntraced(function* ({ type, fields }: Selection, page: ReadonlyArray<SourceRow>) {
  const apart = new Map<number, ReadonlyArray<string>>()
  for (const { name } of imageFieldsOf(type)) {
    if (!type.fields[name]!.nullable || fields.every((field) => field.name !== name)) continue
    const here = yield* imagesHere(type, name, page)
    for (const row of page)
      if (isNamed(row, name) ? !isSame(here.get(row.id)?.[name], String(row[name])) : here.has(row.id))
        apart.set(row.id, [...(apart.get(row.id) ?? []), name])
  }
  return apart
})

/** On which sides an object that differs was changed since the last move. */
const sidesOf = ({ now, last, wasRefused, isHere, isChangedHere }: MovedObject): Since => {
  if (last === undefined) return wasRefused ? "neither" : "there"
  const isOurs = isChangedHere || !isHere
  if (now !== last) return isOurs ? "both" : "there"
  return isOurs ? "here" : "neither"
}

const columns = [
  ["rows", ({ rows }) => rows],
  ["equal", ({ equal }) => equal],
  ["changed here", ({ here }) => here],
  ["changed there", ({ there }) => there],
  ["on both sides", ({ both }) => both],
  ["wrong", ({ wrong }) => wrong]
] as const satisfies ReadonlyArray<readonly [string, (type: VerifiedType) => number]>

/** The numbers of a comparison: a head, a row for each object type that differs, and the sums. */
export const verifyTable = ({ types }: VerifyReport): ReadonlyArray<ReadonlyArray<string>> => {
  const sums = columns.map(([, of]) => types.reduce((total, type) => total + of(type), 0))
  return [
    ["object type", ...columns.map(([name]) => name)],
    ...types.filter(isDifferent).map((type) => [type.type, ...columns.map(([, of]) => `${of(type)}`)]),
    ["sum", ...sums.map(String)]
  ]
}

const isDifferent = ({ here, there, both, wrong }: VerifiedType): boolean => here + there + both + wrong > 0

/** How many objects differ, though no side was changed since the last move. */
export const wrongIn = ({ types }: VerifyReport): number => types.reduce((total, { wrong }) => total + wrong, 0)

/** The comparison in a sentence. */
export const verifyResult = (report: VerifyReport): string => {
  if (!report.types.some(isDifferent)) return "No difference."
  const wrong = wrongIn(report)
  return wrong === 0
    ? "Every difference was made since the last move."
    : `${wrong} ${wrong === 1 ? "object differs" : "objects differ"}, though no side was changed since the last move.`
}

/** The report as lines of text. */
export const verifyLines = (report: VerifyReport): ReadonlyArray<string> => [
  `NetBox ${report.release}, ${report.types.filter(({ rows }) => rows > 0).length} object types`,
  "",
  ...tableLines(verifyTable(report)),
  "",
  verifyResult(report)
]

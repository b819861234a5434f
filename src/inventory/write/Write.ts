/**
 * Writing objects: create, update and delete, one or many, all or nothing.
 *
 * Responsible for: every rule that a row must meet, reported by the field that breaks it, before Postgres has to refuse
 * it. Guarantees: nothing is half written; a race that the checks could not see ends in the same clean answer, because
 * the transaction is run again. Does not: decide who may write (auth), nor the form of the wire (http).
 */
import { Effect, Option } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { cleared } from "../Clearance.ts"
import type { Errors, Row } from "../Field.ts"
import { grammarErrors } from "../Grammar.ts"
import { keepImages, withImages } from "../image/StoredImages.ts"
import { sealHidden, withKeptSecrets, withWholeTexts } from "./Hidden.ts"
import { replace } from "./Replace.ts"
import { lookAt } from "./LooksAt.ts"
import { inherited } from "./create/Inherited.ts"
import { instantiate } from "./create/Instantiate.ts"
import { type Find, type ObjectType, type Unique, fieldOf } from "../ObjectType.ts"
import { firstErrors } from "../Rule.ts"
import { bondRefusal, brokenBonds, withNames } from "./rules/Bonds.ts"
import { refuseConflicts } from "./rules/Conflicts.ts"
import { Protected, isProtected, protectedBy, unableToDelete } from "./Protected.ts"
import { type Premise, checkedBy } from "../read/Premise.ts"
import { byIds } from "../read/Read.ts"
import { quickly } from "./Quick.ts"
import { staysWithinQuota } from "./Quota.ts"
import { resolveAll } from "./resolve/ResolveAll.ts"
import { rivals } from "./rules/Rivals.ts"
import { staysWithin } from "./rules/Bounds.ts"
import { stored } from "./Stored.ts"
import { type Author, type PresumedAuthor, asAuthor } from "./Transaction.ts"
import { type Conflict, canCompare, cycles, duplicates, unexplained } from "./Unique.ts"
import { unreadableErrors } from "../Unreadable.ts"
import { refusing } from "./WriteRefused.ts"
import { type Draft, draft, withInitials } from "../derive/values/Draft.ts"
import { insertStatement } from "../derive/values/InsertStatement.ts"
import { columnsOf, rowFromJson } from "../derive/values/Row.ts"
import { allOf, whereIds } from "../derive/filter/Where.ts"

interface NewRow {
  readonly row: Row
  /** Values by field that only the answer to the creation shows. */
  readonly shown: Readonly<Record<string, unknown>>
}

/** Creates one object per body. */
export const create = (type: ObjectType, bodies: ReadonlyArray<unknown>, author: Author) =>
  begin(type, bodies, author, undefined).pipe(
    Effect.flatMap(({ begun }) => Effect.map(finishCreation(begun), ({ made }) => made))
  )

/**
 * Creates one object per body by a single statement if that can do it; `finishCreation` does the rest. For a sender
 * under a premise, which the statement checks: where it fails, nothing was created.
 */
export const beginCreation = (
  type: ObjectType,
  bodies: ReadonlyArray<unknown>,
  author: PresumedAuthor,
  premise: Premise
) =>
  Effect.flatMap(begin(type, bodies, author.presumed, premise), ({ begun, holds }) => checkedBy(premise, holds, begun))

const begin = Effect.fnUntraced(function* (
  type: ObjectType,
  bodies: ReadonlyArray<unknown>,
  author: Author,
  premise: Premise
) {
  const drafts = yield* draftsOf(type, bodies, author)
  const { made, holds } = yield* quickly(type, drafts, author, premise)
  return { begun: { type, drafts, author, quick: made }, holds }
})

/** The created objects, with the rows that their representations need where those were read along. */
export const finishCreation = Effect.fnUntraced(function* ({
  type,
  drafts,
  author,
  quick
}: Effect.Success<ReturnType<typeof begin>>["begun"]) {
  if (Option.isSome(quick)) return { made: created(type, drafts, quick.value.rows), beside: quick.value.beside }
  const rows = yield* carefully(type, drafts).pipe(
    asAuthor(author),
    refuseConflicts(
      type,
      drafts.map(() => 0)
    )
  )
  return { made: created(type, drafts, rows), beside: undefined }
})

/** Creates `count` objects from bodies that are computed in the transaction, for example from free addresses. */
export const createFrom = <E, R>(
  type: ObjectType,
  count: number,
  bodies: Effect.Effect<ReadonlyArray<unknown>, E, R>,
  author: Author
) =>
  createRows(type, bodies, author).pipe(
    asAuthor(author),
    refuseConflicts(
      type,
      Array.from({ length: count }, () => 0)
    )
  )

const createRows = Effect.fnUntraced(function* <E, R>(
  type: ObjectType,
  bodies: Effect.Effect<ReadonlyArray<unknown>, E, R>,
  author: Author
) {
  const drafts = yield* draftsOf(type, yield* bodies, author)
  return created(type, drafts, yield* carefully(type, drafts))
})

const draftsOf = Effect.fnUntraced(function* (type: ObjectType, bodies: ReadonlyArray<unknown>, { userId }: Author) {
  const drafts = yield* mapInSlices(bodies, (body): Draft => {
    const { values, ...others } = draft(type, body, true)
    return { values: withInitials(type, values, userId), ...others }
  })
  return yield* withKeptSecrets(type, withImages(type, drafts, []), [])
})

const created = (type: ObjectType, drafts: ReadonlyArray<Draft>, rows: ReadonlyArray<Row>): ReadonlyArray<NewRow> => {
  const once = Object.keys(type.fields).filter((name) => fieldOf(type, name).wire === "once")
  return rows.map((row, at) => ({
    row,
    shown: Object.fromEntries(once.map((name) => [name, drafts[at]!.values[name]]))
  }))
}

/** Inserts after every rule has been checked. */
const carefully = Effect.fnUntraced(function* (type: ObjectType, drafts: ReadonlyArray<Draft>) {
  const inserted = yield* insert(type, yield* settle(type, drafts, []))
  yield* staysWithin(type, inserted, "add")
  yield* instantiate(type, inserted, drafts)
  yield* keepImages(type, inserted, drafts)
  yield* staysWithinQuota(type, inserted)
  return inserted
})

interface Change {
  readonly id: number
  readonly body: unknown
}

/** Checks the locked rows before they change; its failure ends the write. */
type Guard<E> = (before: ReadonlyArray<Row>) => Effect.Effect<void, E>

const unguarded = () => Effect.void

/** Updates the objects that exist and skips others. `whole`: required fields must be present, as in a PUT. */
export const update = <E = never>(
  type: ObjectType,
  changes: ReadonlyArray<Change>,
  whole: boolean,
  author: Author,
  guard: Guard<E> = unguarded
) =>
  updateRows(type, changes, whole, author, guard).pipe(
    asAuthor(author),
    refuseConflicts(
      type,
      changes.map(({ id }) => id)
    )
  )

const updateRows = Effect.fnUntraced(function* <E>(
  type: ObjectType,
  changes: ReadonlyArray<Change>,
  whole: boolean,
  author: Author,
  guard: Guard<E>
) {
  yield* sealHidden(
    type,
    changes.map(({ id }) => id)
  )
  const before = yield* byIds(
    type,
    changes.map(({ id }) => id),
    "change",
    "for update"
  )
  yield* guard(before)
  const found = new Map(before.map((row) => [row.id, row]))
  const known = changes.filter(({ id }) => found.has(id))
  const present = known.map(({ id }) => found.get(id)!)
  const sent = yield* mapInSlices(known, ({ body }) => draft(type, body, whole))
  const drafts = withImages(type, sent, present)
  const rows = yield* settle(type, yield* withKeptSecrets(type, drafts, present), present)
  const after = yield* replace(type, rows, present, author)
  yield* keepImages(type, rows, drafts)
  yield* staysWithin(type, rows, "change")
  yield* staysWithinQuota(type, rows, before)
  return before.map(({ id }) => after.get(id)!)
})

/** Deletes the objects that exist, with what depends on them, and returns their ids. */
export const remove = <E = never>(type: ObjectType, ids: ReadonlyArray<number>, author: Author, guard?: Guard<E>) =>
  removeRows(type, ids, guard).pipe(
    // Not retried: what protects them does not go away by itself.
    Effect.mapError((error) => (isProtected(error) ? new Protected({ detail: "" }) : error)),
    asAuthor(author),
    Effect.catchTag("Protected", () => Effect.flatMap(protectedBy(type, ids), (detail) => new Protected({ detail }))),
    Effect.catchIf(SqlError.isSqlError, (error) => {
      const bond = bondRefusal(type, error)
      if (bond === undefined) return error
      return Effect.flatMap(withNames(bond.message), (reason) => new Protected({ detail: unableToDelete(reason) }))
    })
  )

const removeRows = Effect.fnUntraced(function* <E>(
  type: ObjectType,
  ids: ReadonlyArray<number>,
  guard: Guard<E> | undefined
) {
  const sql = yield* SqlClient.SqlClient
  if (guard !== undefined) yield* guard(yield* byIds(type, ids, "delete", "for update"))
  const where = allOf(whereIds(ids), yield* cleared(type, "delete"))
  const rows = yield* sql.unsafe<{ readonly id: string }>(
    `delete from ${type.table} t where ${where.sql} returning id::text as id`,
    where.parameters
  )
  return rows.map(({ id }) => Number(id))
})

/** From drafts to rows that can be stored: references resolved, every rule met, secrets hashed or sealed. */
const settle = Effect.fnUntraced(function* (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Row>
) {
  const resolved = yield* resolveAll(type, drafts, before)
  // Drafts that are already refused may hold references that are no ids.
  const find = yield* lookAt(
    type,
    resolved.flatMap(({ values, errors }, at) =>
      Object.keys(errors).length > 0 ? [] : [{ id: 0, ...before[at], ...values }]
    )
  )
  const wholeBefore = yield* withWholeTexts(type, before)
  const values = resolved.map((draft) => draft.values)
  const ungrammatical = yield* grammarErrors(
    type,
    values.map((written, at) => ({ values: written, row: { ...wholeBefore[at], ...written } }))
  )
  const wrongFields = yield* mapInSlices(resolved, (draft, at): Errors => {
    const unreadable = before[at] === undefined ? {} : unreadableErrors({ ...before[at], ...draft.values })
    return { ...draft.errors, ...ungrammatical[at], ...unreadable }
  })
  const wholeRow = (value: Draft["values"], at: number): Row => ({ id: 0, ...before[at], ...value })
  // A rule about several fields would report values that are already refused.
  const broken = yield* mapInSlices(resolved, ({ values }, at): Errors =>
    hasErrors(wrongFields[at]!) ? {} : ruleErrors(type, wholeRow(values, at), find, before[at])
  )
  const errors = resolved.flatMap((_, at): ReadonlyArray<Conflict> => [
    { at, errors: wrongFields[at]! },
    { at, errors: broken[at]! }
  ])
  if (errors.some((each) => hasErrors(each.errors))) {
    const isComparable = (unique: Unique, at: number) => canCompare(type, unique, wrongFields[at]!)
    const more = yield* duplicates(type, values.map(wholeRow), { isComparable, visible: yield* cleared(type, "view") })
    return yield* refusing(resolved.length, [...errors, ...more])
  }
  const rows = inherited(type, (yield* stored(type, values)).map(wholeRow), before, find)
  const parted = yield* brokenBonds(type, rows, before, find)
  const rivalries = yield* rivals(type, rows, before, find)
  const others = [
    ...unexplained(yield* duplicates(type, rows), rivalries),
    ...(yield* cycles(type, rows)),
    ...rivalries
  ]
  // As in NetBox, a broken rule is reported before a conflict with an object of the same type.
  const conflicts = [...parted, ...others.filter(({ at }) => !parted.some((each) => each.at === at))]
  return conflicts.length > 0 ? yield* refusing(rows.length, conflicts) : rows
})

const ruleErrors = (type: ObjectType, row: Row, find: Find, before: Row | undefined): Errors =>
  firstErrors(type.check(row, find, before), row, before)

const hasErrors = (errors: Errors): boolean => Object.keys(errors).length > 0

/** Inserts rows as they are stored, without any check; also for rows that the service creates itself. */
const insert = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Draft["values"]>) {
  if (rows.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const inserted = yield* sql.unsafe<{ readonly row: Readonly<Record<string, unknown>> }>(insertStatement(type), [
    JSON.stringify(rows.map((row) => columnsOf(type, row)))
  ])
  return inserted.map(({ row }) => rowFromJson(type, row))
})

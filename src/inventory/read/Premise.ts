/**
 * Premises: a request may start with a sender from this process's cache of tokens. The statement that reads or creates
 * for it checks too that the token still gives the same sender, and only that statement's result may be shown.
 */
import { Data, Effect } from "effect"
import { cleared } from "../Clearance.ts"
import type { ObjectType } from "../ObjectType.ts"
import type { Where } from "../derive/filter/Where.ts"
import { type Page, oneQuery, pageQuery, readAll } from "./Read.ts"

/** The condition under which a cached sender is valid; it refers to no object. Undefined: Postgres named the sender. */
export type Premise = Where | undefined

/** The premise does not hold, or no statement checked it: the sender has to be authenticated first. */
export class PremiseFailed extends Data.TaggedError("PremiseFailed") {}

declare const proof: unique symbol

/** The result of a statement in which the premise held. Only this file makes it. */
export interface Checked<A> {
  readonly value: A
  readonly [proof]: true
}

/** The proof for a result. `holds`: whether the statement found that the premise holds. */
export const checkedBy = <A>(premise: Premise, holds: boolean, value: A): Effect.Effect<Checked<A>, PremiseFailed> =>
  premise === undefined || holds ? Effect.succeed({ value } as Checked<A>) : Effect.fail(new PremiseFailed())

/** The same proof for a value that was computed from the result. */
export const mapChecked = <A, B>({ value }: Checked<A>, compute: (value: A) => B): Checked<B> =>
  ({ value: compute(value) }) as Checked<B>

const readChecked = Effect.fnUntraced(function* <T extends ObjectType>(type: T, query: Where, premise: Premise) {
  const found = yield* readAll(type, query, { premise })
  return yield* checkedBy(premise, found.holds, found)
})

/** `readPage` for a sender under a premise. */
export const readPageChecked = Effect.fnUntraced(function* <T extends ObjectType>(
  type: T,
  page: Page,
  premise: Premise
) {
  return yield* readChecked(type, pageQuery(type, page, yield* cleared(type, "view")), premise)
})

/** `readOne` for a sender under a premise. */
export const readOneChecked = Effect.fnUntraced(function* <T extends ObjectType>(
  type: T,
  id: number,
  premise: Premise
) {
  return yield* readChecked(type, yield* oneQuery(type, id), premise)
})

/** Parts of a set that are not restored, and why. */
import { Effect, Result } from "effect"
import { OutOfBounds } from "../Clearance.ts"
import type { Errors } from "../Field.ts"
import { WriteRefused } from "../write/WriteRefused.ts"
import type { LoggedObject } from "./Members.ts"

export type Reason =
  | { readonly kind: "refused"; readonly errors: Errors }
  | { readonly kind: "not allowed" }
  /** An object that the field names is not restored. */
  | { readonly kind: "without"; readonly field: string }
  /** The objects need each other. */
  | { readonly kind: "circle" }
  /** The field has another value by now. */
  | { readonly kind: "changed" }
  /** The object is gone, or the author may not change it. */
  | { readonly kind: "closed" }

export interface Omission {
  readonly object: LoggedObject
  /** The fields that are not restored; undefined for the whole object. */
  readonly fields?: ReadonlyArray<string>
  readonly reason: Reason
}

type Refusal = WriteRefused | OutOfBounds

/** The refusals that concern the written object as a result; other errors fail. */
export const refusalOf = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  write.pipe(
    Effect.map((value): Result.Result<A, Refusal> => Result.succeed(value)),
    Effect.catchIf(
      (error): error is Extract<E, Refusal> => error instanceof WriteRefused || error instanceof OutOfBounds,
      (error) => Effect.succeed(Result.fail(error as Refusal))
    )
  )

export const reasonOf = (refusal: Refusal): Reason =>
  refusal instanceof OutOfBounds ? { kind: "not allowed" } : { kind: "refused", errors: refusal.errors[0] ?? {} }

/**
 * The objects that code may read and write on behalf of a user.
 *
 * Every read and write of objects adds the clearance's condition to its SQL (Read.ts, Write.ts, Resolve.ts). The service
 * has no default, so code that reads objects without saying for whom does not compile: `http` provides the clearance of
 * the request's sender (auth/Permission.ts makes it); work of the service itself has `unrestricted`.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { ObjectType } from "./ObjectType.ts"
import { type Visible, type Where, everything, isNothing } from "./derive/filter/Where.ts"

/** `refer`: name the object in a field of another one. */
export type Action = "view" | "add" | "change" | "delete" | "refer"

export class Clearance extends Context.Service<
  Clearance,
  {
    /** The objects of the type to which the action may be done. */
    readonly where: (type: ObjectType, action: Action) => Where
    /** Opens a sealed copy; absent where copies are not shown to users who may see the object. */
    readonly reveal?: ((sealed: string) => string | undefined) | undefined
  }
>()("rackwire/inventory/Clearance") {
  static readonly all = Clearance.of({ where: () => everything })
  /** For what the service does by itself. */
  static readonly unrestricted = Layer.succeed(Clearance, Clearance.all)
}

/** The objects of the type on which the current user may do the action. */
export const cleared = (type: ObjectType, action: Action) =>
  Effect.map(Clearance, (clearance) => clearance.where(type, action))

/** Whether the current user may do the action to any object of the type. */
export const mayDo = (type: ObjectType, action: Action) =>
  Effect.map(cleared(type, action), (where) => !isNothing(where))

/** Whether the current user may view any object of the type. */
export const mayView = (type: ObjectType) => mayDo(type, "view")

/** The objects of each type that the current user may see. */
export const visibleToSender = Effect.map(
  Clearance,
  ({ where }): Visible =>
    (type) =>
      where(type, "view")
)

/** The write would leave an object in a state that its author may not write. The transaction is rolled back. */
export class OutOfBounds extends Schema.TaggedError<OutOfBounds>()("OutOfBounds", { objectType: Schema.String }) {}

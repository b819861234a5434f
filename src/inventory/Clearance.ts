/**
 * What whoever asks may see and write.
 *
 * Every read and write of objects keeps to it: Read.ts, Write.ts and Resolve.ts ask it for a condition. It has no usual
 * value, so that nothing compiles that reads objects and does not say for whom: `http` provides that of the request's
 * sender (auth/Permission.ts makes it), what the service does by itself has `unrestricted`.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { ObjectType } from "./ObjectType.ts"
import { type Visible, type Where, everything } from "./derive/filter/Where.ts"

/** `refer`: name it in another object. */
export type Action = "view" | "add" | "change" | "delete" | "refer"

/**
 * What a clearance rests on: a condition over nothing. Read.ts asks it beside the page, in one statement and so of one
 * moment. What was read while it did not hold is for nobody.
 */
export interface Premise {
  readonly where: Where
  /** Whether a statement has found that it does. */
  holds: boolean
}

export class Clearance extends Context.Service<
  Clearance,
  {
    /** The objects of the type to which the action may be done. */
    readonly where: (type: ObjectType, action: Action) => Where
    /** The text of a sealed copy, where those are shown to whoever may see the object. */
    readonly reveal?: ((sealed: string) => string | undefined) | undefined
    readonly premise?: Premise | undefined
  }
>()("rackwire/inventory/Clearance") {
  static readonly all = Clearance.of({ where: () => everything })
  /** For what the service does by itself. */
  static readonly unrestricted = Layer.succeed(Clearance, Clearance.all)
}

/** The objects of the type to which whoever asks may do the action. */
export const cleared = (type: ObjectType, action: Action) =>
  Effect.map(Clearance, (clearance) => clearance.where(type, action))

/** The objects of each type that whoever asks may see. */
export const visibleToSender = Effect.map(
  Clearance,
  ({ where }): Visible =>
    (type) =>
      where(type, "view")
)

/** The write would leave an object as its author may not write it. Nothing of it stays. */
export class OutOfBounds extends Schema.TaggedError<OutOfBounds>()("OutOfBounds", { objectType: Schema.String }) {}

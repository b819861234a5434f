/** A handler with the declaration of its request and its answer. */
import type { Effect, Schema } from "effect"
import type { Handler, Refusal, Reply, Services } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import type { Declared } from "./Declared.ts"

/** An answer whose JSON has this type. */
interface Answer<A> extends Reply {
  readonly json: A
}

/**
 * The compiler compares the JSON of the handler with the declared reply, and tests compare real answers with it. Answers
 * are not encoded through the schema: that would cost each request.
 */
export const endpoint = <Shown extends Schema.Constraint>(
  declared: Declared & { readonly reply: Shown },
  handler: (request: Request) => Effect.Effect<Answer<Shown["Type"]>, Refusal, Services>
): Handler => declaring(declared, handler)

/** The same for answers whose JSON has no type, or that are no JSON. */
export const declaring = (declared: Declared, handler: Handler): Handler =>
  Object.assign((request: Request) => handler(request), { declared })

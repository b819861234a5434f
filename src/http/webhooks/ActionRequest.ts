/** Endpoints that ask for something to be done: what is wrong with the asking, and what was accepted. */
import { Effect } from "effect"
import { type Dictionary, type Errors, isDictionary, notDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { Request } from "../Route.ts"

/** The fields of the body, which must be a JSON object. */
export const bodyFields = (request: Request) =>
  Effect.flatMap(request.body, (body): Effect.Effect<Dictionary, HttpRefused> =>
    isDictionary(body) ? Effect.succeed(body) : refused({ non_field_errors: [notDictionary(body)] })
  )

export const refused = (body: Errors | { readonly filter: Errors }) =>
  Effect.fail(new HttpRefused({ reason: "InvalidBody", body }))

/** 202 with the row that says how far it is; who has asked for it may see it, this once at least. */
export const accepted = Effect.fnUntraced(function* (type: ObjectType, id: number, request: Request) {
  const shown = Effect.gen(function* () {
    const [row] = yield* byIds(type, [id])
    return representation(type, row!, yield* viewFor(type, [row!], request.base))
  })
  return { status: 202, json: yield* Effect.provideService(shown, Clearance, Clearance.all) }
})

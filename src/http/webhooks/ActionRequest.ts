/** Requests for an action, such as a replay: their fields, and the answers to them. */
import { Effect } from "effect"
import { type Dictionary, type Errors, isDictionary, notDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { Denied } from "../../auth/Denied.ts"
import { type Action, Clearance, cleared } from "../../inventory/Clearance.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { Request } from "../wire/Request.ts"

/** The fields of the body. Fails with 400 if the body is not a JSON object. */
export const bodyFields = (request: Request) => Effect.flatMap(request.body, fieldsIn)

export const fieldsIn = (body: unknown): Effect.Effect<Dictionary, HttpRefused> =>
  isDictionary(body) ? Effect.succeed(body) : refused({ non_field_errors: [notDictionary(body)] })

export const refused = (body: Errors | { readonly filter: Errors }) =>
  Effect.fail(new HttpRefused({ reason: "InvalidBody", body }))

/** Fails with 403 unless the sender may do the action to every object of the type. */
export const unlimited = Effect.fnUntraced(function* (type: ObjectType, action: Action) {
  if (!isEverything(yield* cleared(type, action))) {
    return yield* new Denied({ reason: "NoPermission", missing: { action, objectType: type.id } })
  }
})

/** Answers 202 with the row that shows the progress. The sender sees it here whatever was granted to the sender. */
export const accepted = Effect.fnUntraced(function* (type: ObjectType, id: number, request: Request) {
  const shown = Effect.gen(function* () {
    const rows = yield* byIds(type, [id])
    const view = yield* viewFor(type, rows, request.base)
    return rows.map((row) => representation(type, row, view))
  })
  const [json] = yield* Effect.provideService(shown, Clearance, Clearance.all)
  return { status: 202, json: json! }
})

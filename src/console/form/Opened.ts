/** Opens the form of an object for readers who may see the object and write it. */
import { Effect } from "effect"
import { missingView } from "../value/May.ts"
import { notFound } from "../../http/HttpRefused.ts"
import type { Request } from "../../http/wire/Request.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import { type Action, cleared, mayView } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { imageFieldsOf } from "../../inventory/image/ImageField.ts"
import { registry } from "../../inventory/Registry.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { readOne, viewFor } from "../../inventory/read/Read.ts"
import { formOf } from "./FormField.ts"

/** The object types that have forms. Tokens have a page of their own, because their key is shown once. */
export const writtenTypes: ReadonlyArray<ObjectType> = [...registry.values()].filter(
  ({ isReadOnly, id }) => !isReadOnly && id !== "users.token"
)

/** The types whose form makes new objects: an image that is attached is uploaded by a form of its own. */
export const addedTypes = writtenTypes.filter((type) =>
  imageFieldsOf(type).every(({ name }) => type.fields[name]!.nullable)
)

/**
 * The object of the id in the path, with its form. A form shows what it writes, so without the right to view the object
 * it fails as a read of the object does; without the right to the action with 404.
 */
export const opened = Effect.fnUntraced(function* <T extends ObjectType>(type: T, request: Request, action: Action) {
  if (!(yield* mayView(type))) return yield* missingView(type)
  const { id = "" } = request.params
  if (!/^\d{1,15}$/.test(id)) return yield* notFound()
  const { rows, beside } = yield* readOne(type, Number(id))
  const [row] = rows
  if (row === undefined) return yield* notFound()
  if (!isEverything(yield* cleared(type, action))) yield* rowOf(type, request, action)
  const view = yield* viewFor(type, rows, request.base, beside)
  return { row, view, display: type.display(row, view), form: formOf(type, beside.customFields) }
})

/** The form of an object as it was sent: its fields, and the images of types that have some. */
import { Effect } from "effect"
import { refuseForgedUpload } from "../../http/Admission.ts"
import type { Handler } from "../../http/Route.ts"
import { isUpload, pageLimits, receiveForm, uploadIn } from "../../http/images/Upload.ts"
import { HeavyRequests } from "../../http/objects/HeavyRequests.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { imageFieldsOf } from "../../inventory/image/ImageField.ts"
import type { SentImages } from "./ImageInputs.ts"

/** Refuses a forged form before anything else. */
export const sentForm = Effect.fnUntraced(function* (type: ObjectType, request: Request) {
  if (!isUpload(type, request)) {
    const fields = yield* readForm(request.incoming)
    return { fields, images: imagesIn(type, fields) }
  }
  const bytes = yield* receiveForm(type, request, pageLimits)
  yield* refuseForgedUpload(request, bytes)
  const { fields, files } = yield* uploadIn(bytes, request.contentType!, pageLimits)
  const chosen = imageFieldsOf(type).flatMap(({ name }) => (Object.hasOwn(files, name) ? [[name, files[name]!]] : []))
  for (const [name] of chosen) fields.append(chosenName, String(name))
  return { fields, images: { ...imagesIn(type, fields), ...Object.fromEntries(chosen) } satisfies SentImages }
})

/** Names the fields of files in a form that a page carries, such as that of a search: a browser sends a file once. */
const chosenName = "_chosen"

/** Images that a box removes, whose value is blank, and those that are chosen but not sent. */
const imagesIn = (type: ObjectType, fields: URLSearchParams): SentImages => {
  const chosen = new Set(fields.getAll(chosenName))
  const sent = imageFieldsOf(type).flatMap(({ name }): ReadonlyArray<readonly [string, null | undefined]> => {
    if (fields.get(name) === "") return [[name, null]]
    return chosen.has(name) ? [[name, undefined]] : []
  })
  return Object.fromEntries(sent)
}

/** Whether a form of the type may have images. */
export const takesImages = (type: ObjectType): boolean => imageFieldsOf(type).length > 0

/** The handler of a form whose uploads take turns. */
export const inTurn =
  (type: ObjectType, submit: Handler): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { uploading } = yield* HeavyRequests
      return yield* isUpload(type, request) ? uploading(submit(request)) : submit(request)
    })

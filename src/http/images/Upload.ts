/**
 * Forms with images (`multipart/form-data`) as bodies of writes. A form is read within its limits and parsed a part at a
 * time between other work; its files are values of the body, which the fields of images check by their bytes.
 */
import { type Hash, createHash } from "node:crypto"
import { ByteSize, Duration, Effect } from "effect"
import { make } from "effect/http/MultipartParser"
import { emptyRecord } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { UploadedFile, imageBytesMax, imageFieldsOf } from "../../inventory/image/ImageField.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { AtOnce, type Handler, authenticated } from "../Route.ts"
import { HeavyRequests } from "../objects/HeavyRequests.ts"
import { refuseAfter } from "../objects/Limits.ts"
import { isOfType } from "../wire/MediaType.ts"
import type { PresumedRequest, Request } from "../wire/Request.ts"

/** Limits of the part of a form beside its images. */
interface FormLimits {
  /** Most bytes of the fields, their headers included, and of one of them. */
  readonly fieldsBytes: number
  /** Most parts, images included. */
  readonly parts: number
}

/** Limits of a form as the body of a write. */
const bodyLimits: FormLimits = { fieldsBytes: 64 * 1024, parts: 20 }

/** Limits of a form of a page, which also has the object as it was: as for forms without files. */
export const pageLimits: FormLimits = { fieldsBytes: 256 * 1024, parts: 1000 }

/** Largest form for objects of a type: each of its fields may have an image. */
const formSizeMax = (type: ObjectType, { fieldsBytes }: FormLimits) =>
  ByteSize.bytes(imageFieldsOf(type).length * imageBytesMax + fieldsBytes)

/** Longest time for an upload: one that stalls would keep others from uploading. */
const arrivalTime = Duration.minutes(1)

/** Bytes that are parsed before other work has a turn. */
const sliceBytes = 256 * 1024

/** Whether the body is a form with images of an object of the type. */
export const isUpload = (type: ObjectType, { contentType }: PresumedRequest): boolean =>
  imageFieldsOf(type).length > 0 && isOfType(contentType, "multipart/form-data")

/** The body of a write: JSON, or for a type with images a form. Fails with 400, 413 or 415. */
export const bodyOf = Effect.fnUntraced(function* (type: ObjectType, request: PresumedRequest) {
  if (!isUpload(type, request)) return yield* request.body
  const { fields, files } = yield* uploadIn(yield* receiveForm(type, request), request.contentType!)
  const declared = (name: string) => (Object.hasOwn(type.fields, name) ? type.fields[name] : undefined)
  const wrong = Object.keys(files).filter((name) => declared(name) && declared(name)!.imageFolder === undefined)
  if (wrong.length > 0)
    return yield* new HttpRefused({
      reason: "InvalidBody",
      body: Object.fromEntries(wrong.map((name) => [name, [noFileHere]]))
    })
  const body = emptyRecord<unknown>()
  for (const name of new Set(fields.keys())) {
    const texts = fields.getAll(name)
    const { reference, type: column = "" } = declared(name) ?? {}
    // A list has a field of the form for each item, and a blank one for none.
    const isList = reference?.many === true || column.endsWith("[]")
    body[name] = isList ? texts.filter((text) => text !== "") : texts.at(-1)
  }
  return Object.assign(body, files)
})

const noFileHere = "This field takes no file."

/** The form, when it has arrived. Fails with 413. */
export const receiveForm = (type: ObjectType, request: PresumedRequest, limits = bodyLimits) =>
  request.bytes(formSizeMax(type, limits)).pipe(refuseAfter(arrivalTime, "The image did not arrive"))

/** The fields of a form, and its files by the names of their fields. */
export interface Upload {
  readonly fields: URLSearchParams
  readonly files: Readonly<Record<string, UploadedFile>>
}

interface FilePart {
  readonly field: string
  readonly name: string
  readonly chunks: Array<Uint8Array>
  readonly hash: Hash
}

/** The fields and files of a form. Fails with 400. */
export const uploadIn: (
  bytes: ArrayBuffer,
  contentType: string,
  limits?: FormLimits
) => Effect.Effect<Upload, HttpRefused> = Effect.fnUntraced(function* (
  bytes,
  contentType,
  { fieldsBytes, parts: partsMax } = bodyLimits
) {
  const fields = new URLSearchParams()
  const files = emptyRecord<UploadedFile>()
  const parts: Array<FilePart> = []
  const faults: Array<string> = []
  const parser = make({
    headers: { "content-type": contentType },
    maxParts: partsMax,
    maxFieldSize: ByteSize.bytes(fieldsBytes),
    isFile: ({ filename }) => filename !== undefined,
    onField: ({ name }, value) => fields.append(name, new TextDecoder().decode(value)),
    onFile: ({ name: field, filename: name = "" }) => {
      const file: FilePart = { field, name, chunks: [], hash: createHash("sha256") }
      parts.push(file)
      return (chunk) => {
        if (chunk === null) return
        file.chunks.push(chunk)
        file.hash.update(chunk)
      }
    },
    onError: (error) => void faults.push(error._tag === "ReachedLimit" ? error.limit : error._tag),
    onDone: () => {}
  })
  for (let at = 0; at < bytes.byteLength && faults.length === 0; at += sliceBytes) {
    parser.write(new Uint8Array(bytes, at, Math.min(sliceBytes, bytes.byteLength - at)))
    yield* Effect.yieldNow
  }
  parser.end()
  if (faults.length > 0) return yield* malformed(`Multipart form parse error - ${faults[0]}`)
  for (const { field, name, chunks, hash } of parts) {
    const content = Buffer.concat(chunks)
    // A browser sends a file that was not chosen too.
    if (name === "" && content.length === 0) continue
    if (Object.hasOwn(files, field)) return yield* malformed(`The form has several files: ${field.slice(0, 50)}.`)
    files[field] = new UploadedFile(content, name, hash.digest("hex"))
  }
  return { fields, files }
})

const malformed = (detail: string) => new HttpRefused({ reason: "InvalidBody", body: { detail } })

/** A handler of writes whose uploads take turns: each may have several copies of an image in memory. */
export const withUploads = (type: ObjectType, handler: Handler | AtOnce): Handler | AtOnce => {
  if (imageFieldsOf(type).length === 0) return handler
  const run = handler instanceof AtOnce ? authenticated(handler) : handler
  return Effect.fnUntraced(function* (request: Request) {
    const { uploading } = yield* HeavyRequests
    return yield* isUpload(type, request) ? uploading(run(request)) : run(request)
  })
}

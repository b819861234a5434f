/**
 * Forms with an image (`multipart/form-data`) as bodies of writes. A form is read within its limits and parsed a part at a
 * time between other work; its file is a value of the body, which the field of the image checks by its bytes.
 */
import { type Hash, createHash } from "node:crypto"
import { ByteSize, Duration, Effect } from "effect"
import { make } from "effect/http/MultipartParser"
import { type Dictionary, emptyRecord } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { UploadedFile, imageBytesMax, imageFieldOf } from "../../inventory/image/ImageField.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { AtOnce, type Handler, authenticated } from "../Route.ts"
import { HeavyRequests } from "../objects/HeavyRequests.ts"
import { refuseAfter } from "../objects/Limits.ts"
import { isOfType } from "../wire/MediaType.ts"
import type { PresumedRequest, Request } from "../wire/Request.ts"

/** Most bytes of the fields beside the image, their headers included. */
const fieldsBytesMax = 64 * 1024

/** Largest form. */
const formSizeMax = ByteSize.bytes(imageBytesMax + fieldsBytesMax)

/** Longest time for an upload: one that stalls would keep others from uploading. */
const arrivalTime = Duration.minutes(1)

/** Most parts of a form. */
const partsMax = 20

/** Bytes that are parsed before other work has a turn. */
const sliceBytes = 256 * 1024

/** Whether the body is a form with the image of an object of the type. */
const isUpload = (type: ObjectType, { contentType }: PresumedRequest): boolean =>
  imageFieldOf(type) !== undefined && isOfType(contentType, "multipart/form-data")

/** The body of a write: JSON, or for a type with an image a form. Fails with 400, 413 or 415. */
export const bodyOf = (type: ObjectType, request: PresumedRequest) =>
  isUpload(type, request)
    ? Effect.flatMap(receiveForm(request), (bytes) => uploadIn(bytes, request.contentType!))
    : request.body

/** The form, when it has arrived. Fails with 413. */
export const receiveForm = (request: PresumedRequest) =>
  request.bytes(formSizeMax).pipe(refuseAfter(arrivalTime, "The image did not arrive"))

interface FilePart {
  readonly field: string
  readonly name: string
  readonly chunks: Array<Uint8Array>
  readonly hash: Hash
}

/** The fields of a form, its file among them. Fails with 400. */
export const uploadIn: (bytes: ArrayBuffer, contentType: string) => Effect.Effect<Dictionary, HttpRefused> =
  Effect.fnUntraced(function* (bytes, contentType) {
    const body = emptyRecord<unknown>()
    const files: Array<FilePart> = []
    const faults: Array<string> = []
    const parser = make({
      headers: { "content-type": contentType },
      maxParts: partsMax,
      maxFieldSize: ByteSize.bytes(fieldsBytesMax),
      isFile: ({ filename }) => filename !== undefined,
      onField: ({ name }, value) => void (body[name] = new TextDecoder().decode(value)),
      onFile: ({ name: field, filename: name = "" }) => {
        const file: FilePart = { field, name, chunks: [], hash: createHash("sha256") }
        files.push(file)
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
    for (const { field, name, chunks, hash } of files) {
      const content = Buffer.concat(chunks)
      // A browser sends a file that was not chosen too.
      if (name === "" && content.length === 0) continue
      if (body[field] instanceof UploadedFile)
        return yield* malformed(`The form has several files: ${field.slice(0, 50)}.`)
      body[field] = new UploadedFile(content, name, hash.digest("hex"))
    }
    return body
  })

const malformed = (detail: string) => new HttpRefused({ reason: "InvalidBody", body: { detail } })

/** A handler of writes whose uploads take turns: each may have several copies of an image in memory. */
export const withUploads = (type: ObjectType, handler: Handler | AtOnce): Handler | AtOnce => {
  if (imageFieldOf(type) === undefined) return handler
  const run = handler instanceof AtOnce ? authenticated(handler) : handler
  return Effect.fnUntraced(function* (request: Request) {
    const { uploading } = yield* HeavyRequests
    return yield* isUpload(type, request) ? uploading(run(request)) : run(request)
  })
}

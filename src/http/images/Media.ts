/**
 * `/media/image-attachments/<id>/<name>`: an attached image, for readers who may view the attachment. The bytes are
 * hostile: they may be an image and a page or a script at once. So their type is the one that their first bytes were
 * checked for, whatever the name says, and a browser neither guesses another nor runs anything in them.
 */
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { objectType } from "../../inventory/Registry.ts"
import { imageBytes, imagePart } from "../../inventory/image/StoredImages.ts"
import { pictureIn } from "../../inventory/image/Picture.ts"
import type ImageAttachment from "../../inventory/types/extras/ImageAttachment.ts"
import { notFound } from "../HttpRefused.ts"
import type { Handler, Route } from "../Route.ts"
import { rowOf } from "../objects/Objects.ts"

const attachmentType = objectType<typeof ImageAttachment>("extras.imageattachment")

const headers = {
  "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin"
}

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { id, image } = yield* rowOf(attachmentType, request)
    if (image !== request.params["name"]) return yield* notFound()
    const first = yield* imagePart(id, 0)
    const picture = first === undefined ? undefined : pictureIn(first)
    if (first === undefined || picture === undefined) return yield* notFound()
    const sql = yield* SqlClient.SqlClient
    const content = Stream.provideService(imageBytes(id, first), SqlClient.SqlClient, sql)
    return {
      status: 200,
      file: { type: picture.mediaType, content },
      headers: { ...headers, "content-disposition": `inline; filename="${image.replaceAll(/[^\w.-]/g, "_")}"` }
    }
  })

export default {
  path: "/media/image-attachments/:id/:name",
  access: attachmentType,
  methods: { GET: show }
} satisfies Route

/**
 * `/media/<folder>/<id>/<name>`: the image of an object, for readers who may view the object. The bytes are hostile: they
 * may be an image and a page or a script at once. So their type is the one that their first bytes were checked for,
 * whatever the name says, and a browser neither guesses another nor runs anything in them.
 */
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { imageFieldsOf } from "../../inventory/image/ImageField.ts"
import { imageBytes, imagePart } from "../../inventory/image/StoredImages.ts"
import { pictureIn } from "../../inventory/image/Picture.ts"
import { notFound } from "../HttpRefused.ts"
import type { Handler, Route } from "../Route.ts"
import { rowOf } from "../objects/Objects.ts"

const headers = {
  "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin"
}

/** Shows the image of one of these fields. */
const show =
  (type: ObjectType, fields: ReadonlyArray<string>): Handler =>
  (request) =>
    Effect.gen(function* () {
      const row = yield* rowOf(type, request)
      const { name = "" } = request.params
      const field = fields.find((each) => row[each] === name)
      if (field === undefined) return yield* notFound()
      const image = { type, field, id: row.id }
      const first = yield* imagePart(image, 0)
      const picture = first === undefined ? undefined : pictureIn(first)
      if (first === undefined || picture === undefined) return yield* notFound()
      const sql = yield* SqlClient.SqlClient
      const content = Stream.provideService(imageBytes(image, first), SqlClient.SqlClient, sql)
      return {
        status: 200,
        file: { type: picture.mediaType, content },
        headers: { ...headers, "content-disposition": `inline; filename="${name.replaceAll(/[^\w.-]/g, "_")}"` }
      }
    })

export default [...registry.values()].flatMap((type): ReadonlyArray<Route> => {
  const folders = Map.groupBy(imageFieldsOf(type), ({ folder }) => folder)
  return Array.from(folders, ([folder, fields]) => ({
    path: `/media/${folder}/:id/:name`,
    access: type,
    methods: {
      GET: show(
        type,
        fields.map(({ name }) => name)
      )
    }
  }))
})

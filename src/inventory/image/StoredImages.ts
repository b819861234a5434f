/**
 * The bytes of images, in parts of a table that is not published: they are in no event, no change log and no row that
 * lists read. A part is read by itself, so serving an image takes the memory of a part.
 */
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import type { Errors, Row } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import type { Draft } from "../derive/values/Draft.ts"
import { refusing } from "../write/WriteRefused.ts"
import { imageFieldsOf, notFile } from "./ImageField.ts"
import { imageTable, partColumn } from "./ImageTable.ts"

/** Bytes of a part. */
const partBytes = 256 * 1024

/** Most images of an object. */
export const imagesPerObject = 50

/** Drafts with an error where they name an image that is neither a file nor the one that the object has. */
export const withImages = (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Row>
): ReadonlyArray<Draft> => {
  const fields = imageFieldsOf(type)
  if (fields.length === 0) return drafts
  return drafts.map((draft, at) => {
    const wrong = fields.filter(({ name }) => {
      const given = draft.values[name] ?? null
      return given !== null && draft.files?.[name] === undefined && given !== before[at]?.[name]
    })
    if (wrong.length === 0) return draft
    return { ...draft, errors: { ...draft.errors, ...Object.fromEntries(wrong.map(({ name }) => [name, [notFile]])) } }
  })
}

/** Stores the images of the rows that the transaction has written from the drafts. Fails if there are too many then. */
export const keepImages = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  drafts: ReadonlyArray<Draft>
) {
  const fields = imageFieldsOf(type)
  if (fields.length === 0) return
  // Where attached images belong to several objects, these have a limit.
  const isAttached = Object.hasOwn(type.fields, "object_id")
  if (!drafts.some(({ files, values }) => files !== undefined || (isAttached && Object.hasOwn(values, "object_id"))))
    return
  const sql = yield* SqlClient.SqlClient
  // Writers take turns, so that the sums below are exact.
  yield* sql`select pg_advisory_xact_lock(hashtext(${imageTable.name}))::text`
  for (const [at, { id }] of rows.entries()) {
    for (const [name, file] of Object.entries(drafts[at]?.files ?? {})) yield* writeParts(type, name, id, file)
  }
  const storage = yield* imageStorage
  if (storage.left < 0) return yield* refusingAll(rows, { [sentIn(drafts) ?? fields[0]!.name]: [storage.full] })
  if (isAttached) yield* refuseMany(type, rows)
})

/** A field whose image was sent. */
const sentIn = (drafts: ReadonlyArray<Draft>): string | undefined =>
  drafts.flatMap(({ files }) => Object.keys(files ?? {}))[0]

/** Fails if an object has more images than it may have. */
const refuseMany = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  const sql = yield* SqlClient.SqlClient
  const targets = rows.map((row) => `${String(row["content_type"])} ${String(row["object_id"])}`)
  const over = yield* sql.unsafe(
    `select from ${type.table}
      where (content_type, object_id) in (
        select split_part(target, ' ', 1), split_part(target, ' ', 2)::bigint from unnest($1::text[]) target)
      group by content_type, object_id having count(*) > $2::int`,
    [targets, imagesPerObject]
  )
  if (over.length > 0) {
    return yield* refusingAll(rows, { object_id: [`An object has at most ${imagesPerObject} images.`] })
  }
})

/** Stores the bytes of the image of an object in place of the ones that the field had. */
export const writeParts = Effect.fnUntraced(function* (type: ObjectType, field: string, id: number, file: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`delete from ${imageTable.name} where ${partColumn(type, field)} = $1::bigint`, [`${id}`])
  const statement = `insert into ${imageTable.name} (${partColumn(type, field)}, part, bytes) values ($1::bigint, $2::int, $3::bytea)`
  // A statement for each part: the driver copies what it sends at once.
  for (let part = 0; part * partBytes < file.length; part++) {
    const bytes = Buffer.from(file.subarray(part * partBytes, (part + 1) * partBytes))
    yield* sql.unsafe(statement, [`${id}`, part, bytes])
  }
})

/** How many bytes images may still have, negative if there are too many; the message if they are more. */
export const imageStorage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { imageStorageLimit: most } = yield* Settings
  const [sum] = yield* sql<{ readonly bytes: number }>`
    select coalesce(sum(octet_length(bytes)), 0)::float8 as bytes from rackwire_image_part`
  return {
    left: most - sum!.bytes,
    full: `The images of the installation would have more than ${most} bytes (IMAGE_STORAGE_LIMIT).`
  }
})

const refusingAll = (rows: ReadonlyArray<Row>, errors: Errors) => refusing(rows.length, [{ at: 0, errors }])

/** The image that an object has in a field. */
interface Stored {
  readonly type: ObjectType
  readonly field: string
  readonly id: number
}

/** A part of an image; undefined behind the last one. */
export const imagePart = Effect.fnUntraced(function* ({ type, field, id }: Stored, part: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly bytes: Uint8Array }>(
    `select bytes from ${imageTable.name} where ${partColumn(type, field)} = $1::bigint and part = $2::int`,
    [`${id}`, part]
  )
  return row?.bytes
})

/** The bytes of an image whose first part was read, part by part, as fast as they are taken. */
export const imageBytes = (image: Stored, first: Uint8Array) =>
  Stream.paginate({ bytes: first, part: 0 }, ({ bytes, part }) => {
    const next =
      bytes.length < partBytes
        ? Effect.succeedNone
        : Effect.map(imagePart(image, part + 1), (following) =>
            following === undefined ? Option.none() : Option.some({ bytes: following, part: part + 1 })
          )
    return Effect.map(next, (following) => [[bytes], following] as const)
  })

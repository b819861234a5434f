/**
 * The bytes of images, in parts of a table that is not published: they are in no event, no change log and no row that
 * lists read. A part is read by itself, so serving an image takes the memory of a part.
 */
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import type { Errors, Row } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import type { Draft } from "../derive/values/Draft.ts"
import { refusing } from "../write/WriteRefused.ts"
import { imageFieldOf, notFile } from "./ImageField.ts"

/** Bytes of a part. */
const partBytes = 256 * 1024

/** Most images of an object. */
export const imagesPerObject = 50

export const imageTable: Table = {
  name: "rackwire_image_part",
  daily: false,
  columns: [
    { name: "attachment_id", type: "bigint", nullable: false },
    // From 0 on.
    { name: "part", type: "integer", nullable: false },
    { name: "bytes", type: "bytea", nullable: false }
  ],
  constraints: [
    { name: "rackwire_image_part_key", sql: "unique (attachment_id, part)" },
    {
      name: "rackwire_image_part_attachment_id_fkey",
      sql: "foreign key (attachment_id) references extras_imageattachment (id) on delete cascade"
    }
  ],
  indexes: [],
  triggers: [],
  published: false
}

/** Drafts with an error where they name an image that is neither a file nor the one that the object has. */
export const withImages = (
  type: ObjectType,
  drafts: ReadonlyArray<Draft>,
  before: ReadonlyArray<Row>
): ReadonlyArray<Draft> => {
  const name = imageFieldOf(type)
  if (name === undefined) return drafts
  return drafts.map((draft, at) => {
    const given = draft.values[name]
    if (draft.file !== undefined || given === undefined || given === before[at]?.[name]) return draft
    return { ...draft, errors: { ...draft.errors, [name]: [notFile] } }
  })
}

/** Stores the images of the rows that the transaction has written from the drafts. Fails if there are too many then. */
export const keepImages = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  drafts: ReadonlyArray<Draft>
) {
  const name = imageFieldOf(type)
  const isMoved = ({ file, values }: Draft) => file !== undefined || Object.hasOwn(values, "object_id")
  if (name === undefined || !drafts.some(isMoved)) return
  const sql = yield* SqlClient.SqlClient
  // Writers take turns, so that the sums below are exact.
  yield* sql`select pg_advisory_xact_lock(hashtext(${imageTable.name}))::text`
  for (const [at, { id }] of rows.entries()) {
    const file = drafts[at]?.file
    if (file !== undefined) yield* writeParts(id, file)
  }
  const storage = yield* imageStorage
  if (storage.left < 0) return yield* refusingAll(rows, { [name]: [storage.full] })
  const targets = rows.map((row) => `${String(row["content_type"])} ${String(row["object_id"])}`)
  const over = yield* sql.unsafe(
    `select from extras_imageattachment
      where (content_type, object_id) in (
        select split_part(target, ' ', 1), split_part(target, ' ', 2)::bigint from unnest($1::text[]) target)
      group by content_type, object_id having count(*) > $2::int`,
    [targets, imagesPerObject]
  )
  if (over.length > 0) {
    return yield* refusingAll(rows, { object_id: [`An object has at most ${imagesPerObject} images.`] })
  }
})

/** Stores the bytes of an image in place of the ones that it had. */
export const writeParts = Effect.fnUntraced(function* (id: number, file: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from rackwire_image_part where attachment_id = ${`${id}`}::bigint`
  // A statement for each part: the driver copies what it sends at once.
  for (let part = 0; part * partBytes < file.length; part++) {
    const bytes = Buffer.from(file.subarray(part * partBytes, (part + 1) * partBytes))
    yield* sql`
      insert into rackwire_image_part (attachment_id, part, bytes)
      values (${`${id}`}::bigint, ${part}::int, ${bytes}::bytea)`
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

/** A part of an image; undefined behind the last one. */
export const imagePart = Effect.fnUntraced(function* (id: number, part: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly bytes: Uint8Array }>`
    select bytes from rackwire_image_part where attachment_id = ${`${id}`}::bigint and part = ${part}::int`
  return row?.bytes
})

/** The bytes of an image whose first part was read, part by part, as fast as they are taken. */
export const imageBytes = (id: number, first: Uint8Array) =>
  Stream.paginate({ bytes: first, part: 0 }, ({ bytes, part }) => {
    const next =
      bytes.length < partBytes
        ? Effect.succeedNone
        : Effect.map(imagePart(id, part + 1), (following) =>
            following === undefined ? Option.none() : Option.some({ bytes: following, part: part + 1 })
          )
    return Effect.map(next, (following) => [[bytes], following] as const)
  })

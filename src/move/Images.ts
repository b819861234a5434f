/**
 * Images of the source: fields of its rows name files below the media folder of NetBox. A file is read twice, for its size
 * and to store it, so that one is in memory at a time.
 */
import { readFile, realpath, stat } from "node:fs/promises"
import { resolve, sep } from "node:path"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../inventory/derive/filter/Where.ts"
import { textsIn } from "../inventory/Field.ts"
import { type ObjectType, columnOf } from "../inventory/ObjectType.ts"
import { ParsedImage, UploadedFile, imageBytesMax, imageFieldsOf, sidesOf } from "../inventory/image/ImageField.ts"
import { deleteParts, imageStorage, writeParts } from "../inventory/image/StoredImages.ts"
import type { NewRow, RefusedRow } from "./Load.ts"

/** Reads and checks the file of an image as an upload is checked. */
const pictureAt = async (
  type: ObjectType,
  field: string,
  media: string | undefined,
  path: string
): Promise<ParsedImage | { readonly refused: string }> => {
  if (media === undefined) return { refused: "Its file is not moved without --media." }
  try {
    const folder = await realpath(media)
    const file = await realpath(resolve(folder, path))
    if (!file.startsWith(`${folder}${sep}`)) return { refused: "The file is outside of the media folder." }
    const found = await stat(file)
    if (!found.isFile()) return { refused: "The file is no file." }
    if (found.size > imageBytesMax) return { refused: `The image has more than ${imageBytesMax} bytes.` }
    const read = type.fields[field]!.parse(new UploadedFile(await readFile(file), path))
    if ("errors" in read) return { refused: textsIn(read.errors).join(" ") }
    return read.value as unknown as ParsedImage
  } catch (error) {
    return { refused: `The file cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown reason"}.` }
  }
}

/** An image of a row, by its field: the path of its file, or why the row is moved without it. */
export interface MovedImage {
  readonly id: number
  readonly field: string
  readonly path: string
  readonly reason?: string
}

/**
 * The rows with the names and the sizes of their images. Where a file is missing, a row is refused if its type needs the
 * image; else it keeps the image that its object has here, or has none.
 */
export const withPictures = Effect.fnUntraced(function* (
  type: ObjectType,
  media: string | undefined,
  rows: ReadonlyArray<NewRow>
) {
  const refused: Array<RefusedRow> = []
  const images: Array<MovedImage> = []
  let pictured = rows
  if (rows.length === 0 || imageFieldsOf(type).length === 0) return { rows, refused, images }
  let { left, full } = yield* imageStorage
  for (const { name } of imageFieldsOf(type)) {
    const before = type.fields[name]!.nullable ? yield* namesHere(type, name, rows) : undefined
    const next: Array<NewRow> = []
    for (const row of pictured) {
      const path = String(row[name] ?? "")
      if (path === "" && before !== undefined) {
        next.push({ ...row, [name]: null, ...sidesOf(type, name) })
        continue
      }
      const picture = yield* Effect.promise(() => pictureAt(type, name, media, path))
      const reason = "refused" in picture ? picture.refused : picture.bytes.length > left ? full : undefined
      if (picture instanceof ParsedImage && reason === undefined) {
        left -= picture.bytes.length
        images.push({ id: row.id, field: name, path })
        next.push({ ...row, [name]: picture.name, ...sidesOf(type, name, picture) })
      } else if (before === undefined) refused.push({ id: row.id, reason: reason! })
      else {
        images.push({ id: row.id, field: name, path, reason: reason! })
        next.push({ ...row, ...(before.get(row.id) ?? { [name]: null, ...sidesOf(type, name) }) })
      }
    }
    pictured = next
  }
  return { rows: pictured, refused, images }
})

/** The images that these objects have here in a field: its value, and its sides. */
const namesHere = Effect.fnUntraced(function* (type: ObjectType, name: string, rows: ReadonlyArray<NewRow>) {
  const sql = yield* SqlClient.SqlClient
  const fields = [name, ...Object.keys(sidesOf(type, name))]
  const found = yield* sql.unsafe<NewRow>(
    `select id::float8 as id, ${fields.map((each) => `${columnOf(type, each)} as "${each}"`).join(", ")}
       from ${type.table} where id = any ($1::text[]::bigint[])`,
    [asTexts(rows.map(({ id }) => id))]
  )
  return new Map(found.map(({ id, ...values }) => [id, values]))
})

/** Stores the files of rows that were written, and deletes the images that rows have no more. */
export const storePictures = Effect.fnUntraced(function* (
  type: ObjectType,
  media: string | undefined,
  rows: ReadonlyArray<NewRow>,
  images: ReadonlyArray<MovedImage>
) {
  for (const { name } of imageFieldsOf(type)) {
    const without = rows.filter((row) => row[name] === null)
    if (without.length > 0) yield* deleteParts(type, name, without)
  }
  for (const { id, field, path, reason } of images) {
    if (reason !== undefined) continue
    const picture = yield* Effect.promise(() => pictureAt(type, field, media, path))
    if (picture instanceof ParsedImage) yield* writeParts(type, field, id, picture.bytes)
  }
})

/**
 * Images of the source: fields of its rows name files. A file is read twice, for its size and to store it, so that one is
 * in memory at a time.
 */
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../inventory/derive/filter/Where.ts"
import { textsIn } from "../inventory/Field.ts"
import { type ObjectType, columnOf } from "../inventory/ObjectType.ts"
import { ParsedImage, UploadedFile, imageFieldsOf, isNamedAfter, sidesOf } from "../inventory/image/ImageField.ts"
import { imageStorage, writeParts } from "../inventory/image/StoredImages.ts"
import type { NewRow, RefusedRow } from "./Load.ts"
import type { ImageFiles } from "./source/Files.ts"

/** An image of a row, by its field: the name of its file, and why the row is moved without it. */
export interface MovedImage {
  readonly id: number
  readonly field: string
  readonly path: string
  readonly reason?: string
}

type Files = ImageFiles | undefined

/** Reads and checks the file of an image as an upload is checked. */
const pictureAt = Effect.fnUntraced(function* (
  type: ObjectType,
  files: Files,
  { field, path }: Pick<MovedImage, "field" | "path">
) {
  if (files === undefined) return { refused: "Its file is not moved without --media." }
  const found = yield* files.read(path)
  if ("refused" in found) return found
  const read = type.fields[field]!.parse(new UploadedFile(found, nameIn(path)))
  return "errors" in read ? { refused: textsIn(read.errors).join(" ") } : (read.value as ParsedImage)
})

const isMissing = (picture: ParsedImage | { readonly refused: string }): picture is { readonly refused: string } =>
  !(picture instanceof ParsedImage)

/** The field without an image. */
const without = (type: ObjectType, name: string) => ({ [name]: null, ...sidesOf(type, name) })

/**
 * The rows with the names and the sizes of their images. Where a file is missing, a row is refused if its type needs the
 * image; else it keeps the image of a file of the same name that its object has here, or has none.
 */
export const withPictures = Effect.fnUntraced(function* (
  type: ObjectType,
  files: Files,
  rows: ReadonlyArray<NewRow>,
  fields = imageFieldsOf(type)
) {
  const refused: Array<RefusedRow> = []
  const images: Array<MovedImage> = []
  let pictured = rows
  if (rows.length === 0 || fields.length === 0) return { rows, refused, images }
  let { left, full } = yield* imageStorage
  for (const { name } of fields) {
    const isOptional = type.fields[name]!.nullable
    const here = isOptional && pictured.some((row) => isNamed(row, name)) ? yield* imagesHere(type, name, rows) : none
    const next: Array<NewRow> = []
    for (const row of pictured) {
      if (isOptional && !isNamed(row, name)) {
        next.push({ ...row, ...without(type, name) })
        continue
      }
      const image = { id: row.id, field: name, path: String(row[name]) }
      const picture = yield* pictureAt(type, files, image)
      const reason = isMissing(picture) ? picture.refused : picture.bytes.length > left ? full : undefined
      if (!isMissing(picture) && reason === undefined) {
        left -= picture.bytes.length
        images.push(image)
        next.push({ ...row, [name]: picture.name, ...sidesOf(type, name, picture) })
      } else if (isOptional) {
        images.push({ ...image, reason: reason! })
        const own = here.get(row.id)
        next.push({ ...row, ...(own !== undefined && isSame(own[name], image.path) ? own : without(type, name)) })
      } else refused.push({ id: row.id, reason: reason! })
    }
    pictured = next
  }
  return { rows: pictured, refused, images }
})

/** The name of a file without the query of its address. */
const nameIn = (path: string): string => path.replace(/[?#].*/s, "")

/** Whether an image here has the name of this file of the source. */
export const isSame = (stored: unknown, path: string): boolean => isNamedAfter(String(stored), nameIn(path))

/** Whether the source has an image in the field. */
export const isNamed = (row: NewRow, field: string): boolean => (row[field] ?? "") !== ""

const none: ReadonlyMap<number, Readonly<Record<string, unknown>>> = new Map()

/** The images that are left out, as values that have no home, by the id of their object. */
export const leftOut = (images: ReadonlyArray<MovedImage>): ReadonlyMap<number, Readonly<Record<string, string>>> => {
  const left = Map.groupBy(
    images.filter(({ reason }) => reason !== undefined),
    ({ id }) => id
  )
  return new Map(
    Array.from(left, ([id, own]) => {
      const reason = own.map((image) => `${image.field}: ${image.reason}`).join(" ")
      return [id, { ...Object.fromEntries(own.map(({ field, path }) => [field, path])), reason }] as const
    })
  )
}

/** The images that these objects have here in a field: its value, and its sides. */
export const imagesHere = Effect.fnUntraced(function* (type: ObjectType, name: string, rows: ReadonlyArray<NewRow>) {
  const sql = yield* SqlClient.SqlClient
  const fields = Object.keys(without(type, name))
  const found = yield* sql.unsafe<NewRow>(
    `select id::float8 as id, ${fields.map((each) => `${columnOf(type, each)} as "${each}"`).join(", ")}
       from ${type.table} where id = any ($1::text[]::bigint[]) and ${columnOf(type, name)} is not null`,
    [asTexts(rows.map(({ id }) => id))]
  )
  return new Map(found.map(({ id, ...values }) => [id, values]))
})

/** A file was read for its size, and not again to store it: the rows of its page are not written. */
class ImageLost extends Data.TaggedError("ImageLost")<{ readonly message: string }> {}

/** Stores the files of rows that were written. */
export const storePictures = Effect.fnUntraced(function* (
  type: ObjectType,
  files: Files,
  images: ReadonlyArray<MovedImage>
) {
  for (const image of images) {
    if (image.reason !== undefined) continue
    const picture = yield* pictureAt(type, files, image)
    // The row has the name and the size of the first reading: without its bytes it is not written.
    if (isMissing(picture)) {
      const message = `The file ${image.path} of ${type.id} ${image.id} was read, and then not again: ${picture.refused} Run the move again.`
      return yield* new ImageLost({ message })
    }
    yield* writeParts(type, image.field, image.id, picture.bytes)
  }
})

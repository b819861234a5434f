/**
 * Images of the source: their rows name files below the media folder of NetBox. A file is read twice, for its size and to
 * store it, so that one is in memory at a time.
 */
import { readFile, realpath, stat } from "node:fs/promises"
import { resolve, sep } from "node:path"
import { Effect } from "effect"
import { textsIn } from "../inventory/Field.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { ParsedImage, UploadedFile, imageBytesMax, imageFieldOf } from "../inventory/image/ImageField.ts"
import { imageStorage, writeParts } from "../inventory/image/StoredImages.ts"
import type { NewRow, RefusedRow } from "./Load.ts"

/** Reads and checks the file of an image as an upload is checked. */
const pictureAt = async (
  type: ObjectType,
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
    const read = type.fields[imageFieldOf(type)!]!.parse(new UploadedFile(await readFile(file), path))
    if ("errors" in read) return { refused: textsIn(read.errors).join(" ") }
    return read.value as unknown as ParsedImage
  } catch (error) {
    return { refused: `The file cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown reason"}.` }
  }
}

/** The rows with the name and the size of their image; those without a file are refused. Other types have none. */
export const withPictures = Effect.fnUntraced(function* (
  type: ObjectType,
  media: string | undefined,
  rows: ReadonlyArray<NewRow>
) {
  const field = imageFieldOf(type)
  const refused: Array<RefusedRow> = []
  if (field === undefined || rows.length === 0) return { rows, refused, paths: new Map<number, string>() }
  let { left, full } = yield* imageStorage
  const paths = new Map<number, string>()
  const pictured: Array<NewRow> = []
  for (const row of rows) {
    const path = String(row[field])
    const picture = yield* Effect.promise(() => pictureAt(type, media, path))
    const reason = "refused" in picture ? picture.refused : picture.bytes.length > left ? full : undefined
    if (reason !== undefined) refused.push({ id: row.id, reason })
    if (!(picture instanceof ParsedImage) || reason !== undefined) continue
    left -= picture.bytes.length
    paths.set(row.id, path)
    pictured.push({ ...row, [field]: picture.name, ...picture.beside })
  }
  return { rows: pictured, refused, paths }
})

/** Stores the files of rows that were written. */
export const storePictures = Effect.fnUntraced(function* (
  type: ObjectType,
  media: string | undefined,
  paths: ReadonlyMap<number, string>
) {
  for (const [id, path] of paths) {
    const picture = yield* Effect.promise(() => pictureAt(type, media, path))
    if (picture instanceof ParsedImage) yield* writeParts(id, picture.bytes)
  }
})

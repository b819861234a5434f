/**
 * The field of an image. Its value is the name of the file; the bytes are stored beside the row (StoredImages.ts), in no
 * event and in no change log. A write names a file as an upload, or in JSON as a data URL; a name alone keeps the image,
 * and null or a blank removes one that is optional.
 */
import { createHash } from "node:crypto"
import { type Field, type Optional, type ParseResult, invalid, makeField, value } from "../Field.ts"
import { type ObjectType, perType } from "../ObjectType.ts"
import { type Picture, pictureIn } from "./Picture.ts"

/** Largest image, bytes. */
export const imageBytesMax = 10 * 1024 * 1024

/** Most pixels of a side, and of an image: a viewer needs four bytes for each. */
export const sideMax = 32_767
const pixelsMax = 50_000_000

/** Longest name of a file without its extension, characters. */
const stemMax = 60

/**
 * A file as it was uploaded. Its bytes are no property, so that nothing walks through them. The digest of a large file is
 * computed while it is read, between other work.
 */
export class UploadedFile {
  readonly #bytes: Uint8Array
  readonly name: string
  readonly digest: string

  constructor(bytes: Uint8Array, name: string, digest = digestOf(bytes)) {
    this.#bytes = bytes
    this.name = name
    this.digest = digest
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }
}

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** An image that a write stores: its name, its bytes, and its size in pixels. */
export class ParsedImage {
  readonly name: string
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number

  constructor(name: string, bytes: Uint8Array, { width, height }: Pick<Picture, "width" | "height">) {
    this.name = name
    this.bytes = bytes
    this.width = width
    this.height = height
  }
}

export const noFile = "No file was submitted."
export const notFile = "The submitted data was not a file. Check the encoding type on the form."
const notImage =
  "Upload a valid image. The file you uploaded was either not an image or a corrupted image. PNG, JPEG, GIF and WebP are images."

/** A field of an object type that has images. */
export interface ImageField {
  readonly name: string
  /** The folder of its addresses. */
  readonly folder: string
  /** The fields of the type that are read from the image: its height and its width, if the type has them. */
  readonly sides: ReadonlyArray<readonly [field: string, side: "height" | "width"]>
}

export const imageFieldsOf = perType(({ fields }: ObjectType): ReadonlyArray<ImageField> =>
  Object.entries(fields).flatMap(([name, { imageFolder: folder }]) => {
    if (folder === undefined) return []
    const sides = sideNames.map((side) => [`${name}_${side}`, side] as const)
    return [{ name, folder, sides: sides.filter(([field]) => Object.hasOwn(fields, field)) }]
  })
)

const sideNames = ["height", "width"] as const

/** Whether files of objects leave the field out: the name of an image is nothing without its bytes. */
export const isLeftOut = ({ imageFolder, nullable }: Field): boolean => imageFolder !== undefined && nullable

/** Whether the field is one that is read from an image. */
export const followsImage = (type: ObjectType, name: string): boolean =>
  imageFieldsOf(type).some(({ sides }) => sides.some(([field]) => field === name))

/** The values of the fields that are read from the image of a field; of no image, their defaults. */
export const sidesOf = (type: ObjectType, name: string, image?: ParsedImage): Readonly<Record<string, unknown>> => {
  const { sides = [] } = imageFieldsOf(type).find((each) => each.name === name) ?? {}
  return Object.fromEntries(
    sides.map(([field, side]) => [field, image === undefined ? type.fields[field]!.initial?.() : image[side]])
  )
}

interface ImageOptions {
  /** The folder of its addresses below `/media/`; fields of one type may share one. */
  readonly folder: string
  readonly optional?: boolean
}

export const image = <const O extends ImageOptions>({ folder, optional = false }: O): Field<Optional<O, string>> =>
  makeField<Optional<O, string>>(
    {
      type: "text",
      maxLength: 100,
      format: "image",
      imageFolder: folder,
      constraint: "char_length($) <= 100",
      nullable: optional,
      initial: optional ? () => null : undefined,
      parse: (input) => (optional && input === "" ? value(null) : parse(input)),
      help: "PNG, JPEG, GIF or WebP, as a file of a form (`multipart/form-data`) or as a data URL.",
      represent: (name, { base }, _, row) =>
        row === undefined || name === null ? name : `${base}${imagePath(folder, row.id, String(name))}`
    },
    {}
  )

/** The path by which an image is served. */
export const imagePath = (folder: string, id: number, name: string): string => `/media/${folder}/${id}/${name}`

const parse = (input: unknown): ParseResult => {
  if (input instanceof UploadedFile) return parsed(input)
  if (typeof input !== "string") return invalid(notFile)
  const [, data] = /^data:[\w/+.-]{0,100};base64,(.*)$/s.exec(input) ?? []
  if (data !== undefined) {
    return /^[A-Za-z0-9+/]*={0,2}$/.test(data)
      ? parsed(new UploadedFile(Buffer.from(data, "base64"), "image"))
      : invalid(notImage)
  }
  const name = input.slice(input.lastIndexOf("/") + 1)
  return /^[\w.-]{1,100}$/.test(name) ? value(name) : invalid(notFile)
}

const parsed = ({ bytes, name, digest }: UploadedFile): ParseResult => {
  if (bytes.length === 0) return invalid("The submitted file is empty.")
  if (bytes.length > imageBytesMax) return invalid(`The image has more than ${imageBytesMax} bytes.`)
  const picture = pictureIn(bytes)
  if (picture === undefined) return invalid(notImage)
  const { width, height, extension } = picture
  if (width > sideMax || height > sideMax || width * height > pixelsMax) {
    return invalid(
      `The image has ${width} x ${height} pixels. At most ${sideMax} on a side and ${pixelsMax} in all are allowed.`
    )
  }
  // Another image has another name, so its change is an event and no cache shows the one before.
  const [stem, mark] = [stemOf(name), `_${digest.slice(0, 10)}`]
  return value(new ParsedImage(`${stem.endsWith(mark) ? stem : stem + mark}.${extension}`, bytes, picture))
}

/** Whether the stored name of an image is that of a file of this name, whatever its bytes. */
export const isNamedAfter = (stored: string, file: string): boolean =>
  new RegExp(`^${stemOf(file)}(?:_[0-9a-f]{10})?\\.[a-z]+$`).test(stored)

/** A name without folders, extension, and signs that mean something in an address, a header or a shell. */
const stemOf = (name: string): string => {
  const file = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1).slice(-500)
  const stem = file
    .replace(/\.[^.]*$/, "")
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9-]+/g, "_")
    .replaceAll(/^[_-]+|[_-]+$/g, "")
  return stem.slice(0, stemMax) || "image"
}

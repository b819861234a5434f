/**
 * The field of an image. Its value is the name of the file; the bytes are stored beside the row (StoredImages.ts), in no
 * event and in no change log. A write names a file as an upload, or in JSON as a data URL; a name alone keeps the image.
 */
import { createHash } from "node:crypto"
import { type Field, type ParseResult, invalid, makeField, value } from "../Field.ts"
import { type ObjectType, perType } from "../ObjectType.ts"
import { pictureIn } from "./Picture.ts"

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

/** An image that a write stores: its name, its bytes, and the fields that follow from it. */
export class ParsedImage {
  readonly name: string
  readonly bytes: Uint8Array
  readonly beside: Readonly<Record<string, number>>

  constructor(name: string, bytes: Uint8Array, beside: Readonly<Record<string, number>>) {
    this.name = name
    this.bytes = bytes
    this.beside = beside
  }
}

export const noFile = "No file was submitted."
export const notFile = "The submitted data was not a file. Check the encoding type on the form."
const notImage =
  "Upload a valid image. The file you uploaded was either not an image or a corrupted image. PNG, JPEG, GIF and WebP are images."

/** The field of an object type that contains a file; undefined if it has none. */
export const imageFieldOf = perType(({ fields }: ObjectType): string | undefined =>
  Object.keys(fields).find((name) => fields[name]!.format === "image")
)

/** Whether the field is one that is read from an image. */
export const followsImage = (type: ObjectType, name: string): boolean =>
  imageFieldOf(type) !== undefined && (name === "image_height" || name === "image_width")

export const image = (): Field<string> => ({
  ...makeField<string>(
    {
      type: "text",
      maxLength: 100,
      format: "image",
      constraint: "char_length($) <= 100",
      parse,
      help: "PNG, JPEG, GIF or WebP, as a file of a form (`multipart/form-data`) or as a data URL.",
      represent: (name, { base }, _, row) => (row === undefined ? name : `${base}${imagePath(row.id, String(name))}`)
    },
    {}
  )
})

/** The path by which an image is served. */
export const imagePath = (id: number, name: string): string => `/media/image-attachments/${id}/${name}`

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
  const beside = { image_height: height, image_width: width }
  // Another image has another name, so its change is an event and no cache shows the one before.
  return value(new ParsedImage(`${stemOf(name)}_${digest.slice(0, 10)}.${extension}`, bytes, beside))
}

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

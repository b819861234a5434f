/** Finds the file in the body of an import, and its format. Pure; runs in a worker. */
import { type PartInfo, make } from "effect/http/MultipartParser"
import { mediaTypeOf } from "../wire/MediaType.ts"
import { FileFault } from "./FileFault.ts"

export const formats = ["csv", "json", "yaml"] as const
export type Format = (typeof formats)[number]

/** The body of an import, and how its sender describes it. */
export interface Upload {
  readonly bytes: ArrayBuffer
  /** The header of the request. */
  readonly contentType: string | undefined
  /** `?format=`, which overrides everything else. */
  readonly format: string | undefined
}

interface ImportFile {
  readonly text: string
  readonly format: Format
}

const formatOfType: Readonly<Record<string, Format>> = {
  "text/csv": "csv",
  "application/json": "json",
  "application/yaml": "yaml",
  "application/x-yaml": "yaml",
  "text/yaml": "yaml",
  "text/x-yaml": "yaml"
}

/** Media types of imports. */
export const importTypes: ReadonlyArray<string> = [...Object.keys(formatOfType), "multipart/form-data"]

const formatOfExtension: Readonly<Record<string, Format>> = { csv: "csv", json: "json", yaml: "yaml", yml: "yaml" }

/** Most parts of a form; one of them is the file. */
const partsMax = 20

/**
 * The file of an upload: the body, or the one file of a form (`multipart/form-data`), or the text of its field `data`.
 * The format is the one of the query, of the form's field `format`, of the content type, of the file's name or, where
 * none of these says so, of its first line. Throws a `FileFault`.
 */
export const fileOf = ({ bytes, contentType, format }: Upload): ImportFile => {
  const isForm = mediaTypeOf(contentType) === "multipart/form-data"
  const file: Described = isForm ? fileInForm(bytes, contentType!) : { bytes: new Uint8Array(bytes), contentType }
  const text = textOf(file.bytes)
  return { text, format: asked(format ?? file.format) ?? declared(file) ?? formatOfText(text) }
}

interface Described {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly name?: string | undefined
  /** The format that the form requests. */
  readonly format?: string | undefined
}

const asked = (format: string | undefined): Format | undefined => {
  if (format === undefined) return undefined
  const known = formats.find((each) => each === format)
  if (known === undefined) throw new FileFault(`Unknown format: ${format.slice(0, 20)}. Use ${formats.join(", ")}.`)
  return known
}

const declared = ({ contentType, name }: Described): Format | undefined =>
  formatOfType[mediaTypeOf(contentType)] ?? formatOfExtension[/\.(\w{1,4})$/.exec(name ?? "")?.[1]?.toLowerCase() ?? ""]

/** The format by the first line that is no comment: a list or dictionary is JSON or YAML, anything else a table. */
const formatOfText = (text: string): Format => {
  const [first = ""] = /^(?!\s*(?:#|$)).*$/m.exec(text.slice(0, 10_000)) ?? []
  if (/^\s*[[{]/.test(first)) return "json"
  return /^\s*(?:- |-$|---|%YAML|[\w"']+:(?:\s|$))/.test(first) ? "yaml" : "csv"
}

const textOf = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
    throw new FileFault(`The file is not UTF-8${isUtf16 ? ", but UTF-16" : ""}. Save it as UTF-8 and send it again.`)
  }
}

const fileInForm = (bytes: ArrayBuffer, contentType: string): Described => {
  const { fields, files } = formIn(bytes, contentType)
  const format = fields.get("format") || undefined
  const [file] = files
  const data = fields.get("data")
  if (file === undefined && data !== undefined && data.length > 0) {
    return { bytes: new TextEncoder().encode(data), contentType: undefined, format }
  }
  if (file === undefined || files.length > 1) throw new FileFault(`The form has ${files.length} files. Send one.`)
  return { ...file, format }
}

interface Form {
  readonly fields: ReadonlyMap<string, string>
  /** Without those that were left empty: a browser sends these too. */
  readonly files: ReadonlyArray<Described>
}

/** The parts of a form with files. Throws a `FileFault`. */
export const formIn = (bytes: ArrayBuffer, contentType: string): Form => {
  const body = new Uint8Array(bytes)
  const fields = new Map<string, string>()
  const files: Array<{ readonly info: PartInfo; readonly chunks: Array<Uint8Array> }> = []
  let fault: string | undefined
  const parser = make({
    headers: { "content-type": contentType },
    maxParts: partsMax,
    maxFieldSize: body.length,
    isFile: ({ filename }) => filename !== undefined,
    onField: ({ name }, value) => void fields.set(name, new TextDecoder().decode(value)),
    onFile: (info) => {
      const chunks: Array<Uint8Array> = []
      files.push({ info, chunks })
      return (chunk) => void (chunk !== null && chunks.push(chunk))
    },
    onError: (error) => (fault ??= error._tag === "ReachedLimit" ? error.limit : error._tag),
    onDone: () => {}
  })
  parser.write(body)
  parser.end()
  if (fault !== undefined) throw new FileFault(`The form cannot be read: ${fault}.`)
  return {
    fields,
    files: files.flatMap(({ info, chunks }) => {
      const content = Buffer.concat(chunks)
      const isLeftEmpty = info.filename === "" && content.length === 0
      return isLeftEmpty ? [] : [{ bytes: content, contentType: info.contentType, name: info.filename }]
    })
  }
}

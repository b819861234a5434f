/** The files of a folder of the device type library, gathered into requests. Only reads. */
import { readFile, readdir, stat } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"

/** The paths of imports by the folder of the library that a file lies in; a file elsewhere is of a device type. */
const paths = { "device-types": "/api/dcim/device-types/import/", "module-types": "/api/dcim/module-types/import/" }

export type Kind = keyof typeof paths

export const pathOf = (kind: Kind): string => paths[kind]

/** The files of a folder. */
export interface Folder {
  readonly files: Readonly<Record<Kind, ReadonlyArray<string>>>
  /** How many pictures. */
  readonly pictures: number
  /** Files of kinds that Rackwire has no type for. */
  readonly others: ReadonlyArray<string>
}

/** The innermost folder that is called as one of the library counts. */
const kindOf = (file: string): Kind | undefined => {
  const folder = file.split(sep).findLast((each) => /^(?:device|module|rack)-types$/.test(each))
  return folder === "rack-types" ? undefined : folder === "module-types" ? folder : "device-types"
}

/** Walks a folder in the order of names; links are not followed. Rejects if it cannot be read. */
export const folderAt = async (root: string): Promise<Folder> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    // Tools keep files of their own in folders like `.github`.
    .filter(
      (file) =>
        !relative(root, file)
          .split(sep)
          .some((each) => each.startsWith("."))
    )
    .sort()
  const yaml = names.filter((file) => /^\.ya?ml$/i.test(extname(file)))
  return {
    files: {
      "device-types": yaml.filter((file) => kindOf(file) === "device-types"),
      "module-types": yaml.filter((file) => kindOf(file) === "module-types")
    },
    pictures: names.filter((file) => /^\.(?:png|jpe?g|gif|webp|svg|tiff?|bmp)$/i.test(extname(file))).length,
    others: yaml.filter((file) => kindOf(file) === undefined)
  }
}

/** A file with its text, which ends with a line break. */
export interface LibraryFile {
  readonly name: string
  readonly text: string
  /** Whether the first line is ours: the mark that a document begins. */
  readonly isMarked: boolean
}

/** Largest file, bytes: the largest of the library has 60 KB. */
const fileBytesMax = 1 << 20

/** The file; or why it is not sent. */
export const readLibraryFile = async (name: string): Promise<LibraryFile | string> => {
  const { size } = await stat(name)
  if (size > fileBytesMax) return `The file has ${size} bytes, and a file may have at most ${fileBytesMax}.`
  const text = decoded(await readFile(name))
  if (text === undefined) return "The file is not UTF-8."
  if (text.trim() === "") return "The file is empty."
  const isMarked = !/^(?:[^\S\n]*(?:[#%][^\n]*)?\n)*---(?:\s|$)/.test(text)
  return { name, text: `${isMarked ? "---\n" : ""}${text}${text.endsWith("\n") ? "" : "\n"}`, isMarked }
}

const decoded = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Most files and most characters of a request: its types and templates are written in a few seconds. */
const batchFiles = 50
const batchChars = 1 << 18

/** Files that are sent together. */
export function* batchesOf(files: ReadonlyArray<LibraryFile>): Generator<ReadonlyArray<LibraryFile>> {
  let batch: Array<LibraryFile> = []
  let chars = 0
  for (const file of files) {
    if (batch.length >= batchFiles || (batch.length > 0 && chars + file.text.length > batchChars)) {
      yield batch
      batch = []
      chars = 0
    }
    batch.push(file)
    chars += file.text.length
  }
  if (batch.length > 0) yield batch
}

/** The file of a line of the request, and the line there. */
export const placeOf = (
  batch: ReadonlyArray<LibraryFile>,
  line: number
): { readonly file: LibraryFile; readonly line: number } => {
  let first = 1
  for (const file of batch) {
    const lines = file.text.split("\n").length - 1
    if (line < first + lines || file === batch.at(-1)) {
      return { file, line: Math.max(1, line - first + (file.isMarked ? 0 : 1)) }
    }
    first += lines
  }
  throw new Error("a request has at least one file")
}

/** Files of images by the names that rows of the source have: below the media folder of a NetBox, or fetched from it. */
import { readFile, realpath, stat } from "node:fs/promises"
import { resolve, sep } from "node:path"
import { Effect } from "effect"
import { imageBytesMax } from "../../inventory/image/ImageField.ts"

/** The bytes of a file, or why it is left out. */
export type FoundFile = Uint8Array | { readonly refused: string }

export interface ImageFiles {
  readonly read: (name: string) => Effect.Effect<FoundFile>
}

export const tooLarge = { refused: `The image has more than ${imageBytesMax} bytes.` }

/** The files of a folder; undefined where none is named. */
export const filesIn = (media: string | undefined): ImageFiles | undefined =>
  media === undefined ? undefined : { read: (name) => Effect.promise(() => readIn(media, name)) }

const readIn = async (media: string, name: string): Promise<FoundFile> => {
  try {
    const folder = await realpath(media)
    const file = await realpath(resolve(folder, name))
    if (!file.startsWith(`${folder}${sep}`)) return { refused: "The file is outside of the media folder." }
    const found = await stat(file)
    if (!found.isFile()) return { refused: "The file is no file." }
    return found.size > imageBytesMax ? tooLarge : await readFile(file)
  } catch (error) {
    return { refused: `The file cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown reason"}.` }
  }
}

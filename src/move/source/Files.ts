/** Files of images by the names that rows of the source have: below the media folder of a NetBox, or fetched from it. */
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve, sep } from "node:path"
import { Effect } from "effect"
import { imageBytesMax } from "../../inventory/image/ImageField.ts"

/** The bytes of a file, or why it is left out. */
export type FoundFile = Uint8Array | { readonly refused: string }

/** A move reads a file twice: for its size, and to store it. */
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

/** Most bytes of fetched files on the disk: beyond, the oldest is removed, and is fetched again if it is read again. */
const spoolBytesMax = 512 * 1024 * 1024

/** Files that are fetched: each is on the disk between its first and its second reading. */
export const fetchedFiles = Effect.fnUntraced(function* (
  fetched: (name: string) => Effect.Effect<FoundFile>,
  bytesMax = spoolBytesMax
) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "rackwire-images-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
  )
  /** The files on the disk by the names of images, with their bytes; the oldest first. */
  const spooled = new Map<string, { readonly file: string; readonly size: number }>()
  let [count, total] = [0, 0]
  const remove = async (name: string): Promise<void> => {
    const { file, size } = spooled.get(name)!
    spooled.delete(name)
    total -= size
    await rm(file, { force: true })
  }
  const take = async (name: string): Promise<FoundFile> => {
    const { file } = spooled.get(name)!
    try {
      return await readFile(file)
    } finally {
      await remove(name)
    }
  }
  const spool = async (name: string, bytes: Uint8Array): Promise<void> => {
    const file = join(folder, `${count++}`)
    await writeFile(file, bytes)
    spooled.set(name, { file, size: bytes.length })
    total += bytes.length
    for (const oldest of spooled.keys()) if (total > bytesMax) await remove(oldest)
  }
  // Where the disk is full, or somebody removes the file, it is fetched again.
  const fetchedFirst = (name: string) =>
    Effect.tap(fetched(name), (found) =>
      found instanceof Uint8Array ? Effect.ignore(Effect.tryPromise(() => spool(name, found))) : Effect.void
    )
  const read = (name: string): Effect.Effect<FoundFile> =>
    spooled.has(name)
      ? Effect.catch(
          Effect.tryPromise(() => take(name)),
          () => fetched(name)
        )
      : fetchedFirst(name)
  return { read } satisfies ImageFiles
})

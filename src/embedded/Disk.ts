/** The space that is left for the embedded servers. */
import { statfs } from "node:fs/promises"
import { Effect } from "effect"

/** Least space of a data directory that is not called full, bytes: Postgres adds to its log in files of 16 MiB. */
const freeBytesMin = 32 * 1024 * 1024

/** A sentence if the disk of the data directory is full; none if it is not. */
export const diskProblems = (path: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.tryPromise(() => statfs(path)).pipe(
    Effect.map(({ bavail, bsize }) => {
      const free = bavail * bsize
      return free >= freeBytesMin ? [] : [`the disk of ${path} is full: ${Math.floor(free / 1024)} KiB are left`]
    }),
    Effect.catch(({ message }) => Effect.succeed([`${path} cannot be used: ${message}`]))
  )

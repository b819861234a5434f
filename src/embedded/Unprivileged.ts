/**
 * Running Postgres when we are root.
 *
 * Postgres refuses to run as root, so its processes run as `postgres`, or `nobody` where that user does not exist. The
 * folders above a clone in `/root` or in a `mktemp -d` are closed to such a user, and they are not ours to open:
 * - the data directory is opened before the privileges are dropped, and named by that file descriptor from then on;
 * - the binaries, which Postgres insists on finding by their real path, are copied to a cache of root's.
 */
import {
  accessSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { dirname, join } from "node:path"
import { EmbeddedError } from "./EmbeddedError.ts"

export interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const cacheDirectory = "/var/cache/rackwire"

/** The user that Postgres runs as; undefined when we are not root and it runs as ourselves. */
export const unprivilegedUser = (): User | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
  for (const name of ["postgres", "nobody"]) {
    const found = users.find((fields) => fields[0] === name)
    if (found !== undefined) return { name, uid: Number(found[2]), gid: Number(found[3]) }
  }
  throw new EmbeddedError({
    reason: "StartFailed",
    message:
      "Postgres refuses to run as root and there is no user `postgres` or `nobody`: start Rackwire as another user, or set DATABASE_URL."
  })
}

/** The name by which the server may know `path`, which it gets as file descriptor 3. */
export const nameFor = (user: User | undefined, path: string): string =>
  user !== undefined && process.platform === "linux" ? "/proc/self/fd/3" : path

/**
 * Gives the folder to the user, with what is in it. A folder that holds a cluster already keeps its owner's right to
 * it.
 */
export const hand = (user: User | undefined, path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (user !== undefined && statSync(path).uid !== user.uid) chownSync(path, user.uid, user.gid)
}

/** A copy of the tree that the user can reach; the tree itself when it can be reached where it is. */
export const reachable = (user: User | undefined, tree: string, version: string): string => {
  if (user === undefined || isPassable(tree, user)) return tree
  const copy = join(cacheDirectory, version)
  if (existsSync(copy)) return copy
  const draft = `${copy}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(cacheDirectory, { recursive: true, mode: 0o755 })
  cpSync(tree, draft, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(draft, copy)
  } catch {
    // Another start was quicker; its copy is the same.
    rmSync(draft, { recursive: true, force: true })
  }
  accessSync(copy, constants.X_OK)
  return copy
}

const isPassable = (path: string, user: User): boolean => {
  const { mode, uid, gid } = statSync(path)
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  const parent = dirname(path)
  return (mode & bit) !== 0 && (parent === path || isPassable(parent, user))
}

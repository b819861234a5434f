/**
 * Runs servers without privileges when we are root.
 *
 * Postgres refuses to run as root, and Redis needs no such rights: their processes run as the users `postgres` and
 * `redis`, or as `nobody` if there is no such user. That user may not enter the folders above a clone in `/root` or in
 * a `mktemp -d`, and we must not change their permissions:
 * - the data directory is opened before the privileges are dropped, and then used through its file descriptor;
 * - the binaries must be found by their real path, so they are copied to a cache of root's.
 */
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { dirname, join } from "node:path"
import { EmbeddedError } from "./EmbeddedError.ts"

interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const cacheDirectory = "/var/cache/rackwire"

/** The user of this name, else `nobody`; undefined if we are not root, and the servers run as our own user. */
export const unprivilegedUser = (wanted: "postgres" | "redis"): User | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
  for (const name of [wanted, "nobody"]) {
    const found = users.find((fields) => fields[0] === name)
    if (found !== undefined) return { name, uid: Number(found[2]), gid: Number(found[3]) }
  }
  throw new EmbeddedError({
    reason: "StartFailed",
    message: `Servers are not run as root, and there is no user \`${wanted}\` or \`nobody\`: start Rackwire as another user, or set DATABASE_URL and REDIS_URL.`
  })
}

/** The path by which the server can reach `path`, which it gets as file descriptor 3. */
export const nameFor = (user: User | undefined, path: string): string =>
  user !== undefined && process.platform === "linux" ? "/proc/self/fd/3" : path

/** Makes the user owner of the folder and its content, which a server with another user may have written. */
export const hand = (user: User | undefined, path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (user === undefined || lstatSync(path).uid === user.uid) return
  // The folder itself is last, so that the next start repeats an interrupted change.
  for (const name of readdirSync(path, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(path, name), user.uid, user.gid)
  }
  chownSync(path, user.uid, user.gid)
}

/**
 * A copy of the tree that the user can reach; the tree itself if the user can reach all of it. Opens an existing copy
 * to all users: the umask of the process that made it may have been narrow.
 */
export const reachable = (user: User | undefined, tree: string, version: string, cache = cacheDirectory): string => {
  if (user === undefined || isTreePassable(tree, user)) return tree
  const copy = join(cache, version)
  makePublicFolder(cache)
  if (existsSync(copy)) {
    openToAll(copy)
    return copy
  }
  const draft = `${copy}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  cpSync(tree, draft, { recursive: true, verbatimSymlinks: true })
  openToAll(draft)
  try {
    renameSync(draft, copy)
  } catch {
    // A concurrent start made the same copy first.
    rmSync(draft, { recursive: true, force: true })
  }
  accessSync(copy, constants.X_OK)
  return copy
}

/** Creates the folder where it is missing. Every user may enter it, whatever the umask is. */
export const makePublicFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
}

/** Lets every user read the tree, and run what its owner may run. */
export const openToAll = (tree: string): void => {
  for (const name of ["", ...readdirSync(tree, { recursive: true, encoding: "utf8" })]) {
    const path = join(tree, name)
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) continue
    const wanted = stat.mode | (stat.isDirectory() || (stat.mode & 0o100) !== 0 ? 0o555 : 0o444)
    if (wanted !== stat.mode) chmodSync(path, wanted)
  }
}

/** Whether the user may run the program, which may be a symbolic link. */
export const isReachable = (program: string, user: User): boolean =>
  isPassable(program, user) && isPassable(realpathSync(program), user)

/** Whether the user may enter every folder of the tree and read every file. */
const isTreePassable = (tree: string, user: User): boolean =>
  isPassable(tree, user) &&
  readdirSync(tree, { recursive: true, encoding: "utf8" }).every((name) => {
    const stat = lstatSync(join(tree, name))
    return stat.isSymbolicLink() || (stat.mode & (stat.isDirectory() ? 0o005 : 0o004)) !== 0 || stat.uid === user.uid
  })

const isPassable = (path: string, user: User): boolean => {
  const { mode, uid, gid } = statSync(path)
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  const parent = dirname(path)
  return (mode & bit) !== 0 && (parent === path || isPassable(parent, user))
}

/**
 * Finds a Redis if no address is configured: on the PATH, else in our cache, else from the distribution's package,
 * which is downloaded and unpacked into that cache. Nothing is installed, so this needs no rights.
 */
import { execFile } from "node:child_process"
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { downloadEnvironment } from "./ChildEnvironment.ts"
import { EmbeddedError } from "./EmbeddedError.ts"
import { makePublicFolder, openToAll } from "./Unprivileged.ts"

export interface RedisBinary {
  readonly command: string
  /** The environment by which the program finds its libraries. */
  readonly env: Record<string, string>
}

const names = ["redis-server", "valkey-server"]
const run = promisify(execFile)

/** Time for the download of the package index and the packages, about 11 MB. */
const downloadMillis = 120_000

/** The program on the PATH of `environment` or in our cache; downloads it if there is none. */
export const find = (environment: NodeJS.ProcessEnv): Effect.Effect<RedisBinary, EmbeddedError> =>
  Effect.gen(function* () {
    const onPath = searchPath(environment["PATH"] ?? "", names)
    if (onPath !== undefined) return { command: onPath, env: {} }
    const cache = join(cacheFolder(downloadEnvironment()), "rackwire", "redis")
    const isShared = process.getuid?.() === 0
    // An earlier start may have had a narrow umask.
    if (isShared && existsSync(cache)) openCache(cache)
    const cached = unpacked(cache)
    if (cached !== undefined) return cached
    if (searchPath(environment["PATH"] ?? "", ["apt-get"]) === undefined)
      return yield* missing("there is no apt-get either")
    yield* Effect.logInfo(`No Redis on the PATH: unpacking the distribution's package into ${cache}`)
    yield* Effect.tryPromise({
      try: () => unpack(cache, downloadEnvironment()),
      catch: (cause) => missing(String(cause))
    })
    if (isShared) openCache(cache)
    return unpacked(cache) ?? (yield* missing("the distribution's package contains no server"))
  })

const missing = (why: string): EmbeddedError =>
  new EmbeddedError({
    reason: "BinaryMissing",
    message: `No redis-server or valkey-server on the PATH, and ${why}. One of these helps:
  apt-get install redis-server    brew install redis    nix-shell -p redis
  docker run -d -p 6379:6379 redis:8    with REDIS_URL=redis://127.0.0.1:6379/0`
  })

const searchPath = (path: string, programs: ReadonlyArray<string>): string | undefined =>
  programs.flatMap((program) => path.split(delimiter).map((folder) => join(folder, program))).find(isExecutable)

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder of the cache. Root's own cache is not readable for the user that Redis runs as. */
const cacheFolder = ({ XDG_CACHE_HOME: cache, HOME: home }: NodeJS.ProcessEnv): string =>
  process.getuid?.() === 0 ? "/var/cache" : cache || join(home || "/tmp", ".cache")

/** Opens the cache of root to the user that Redis runs as. */
const openCache = (cache: string): void => {
  makePublicFolder(join(cache, ".."))
  openToAll(cache)
}

const unpacked = (cache: string): RedisBinary | undefined => {
  const command = searchPath(join(cache, "usr/bin"), names)
  if (command === undefined) return undefined
  const libraries = join(cache, "usr/lib")
  const parts = existsSync(libraries) ? readdirSync(libraries) : []
  const folders = [libraries, ...parts.map((entry) => join(libraries, entry))]
  return { command, env: { LD_LIBRARY_PATH: folders.join(delimiter) } }
}

const downloadOnly = ["--no-install-recommends", "--download-only", "--reinstall"]

/** Uses apt-get to find the packages that this system lacks. With its state in our folder it needs no root. */
const unpack = async (cache: string, environment: NodeJS.ProcessEnv): Promise<void> => {
  mkdirSync(join(cache, ".."), { recursive: true })
  // Several may download at once, also in one process.
  const work = mkdtempSync(`${cache}.`)
  const archives = join(work, "cache/archives")
  const options = {
    "Dir::State::Lists": join(work, "lists"),
    "Dir::Cache": join(work, "cache"),
    "Debug::NoLocking": "1",
    "APT::Sandbox::User": ""
  }
  const aptGet = (...args: ReadonlyArray<string>) =>
    run("apt-get", [...Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]), ...args], {
      env: environment,
      timeout: downloadMillis
    })
  try {
    mkdirSync(join(archives, "partial"), { recursive: true })
    mkdirSync(join(work, "lists/partial"), { recursive: true })
    await aptGet("-qq", "update")
    // Downloads packages even if they are installed but not on the PATH. The server's program is in the tools package.
    const download = (name: string) =>
      aptGet("-qq", "-y", ...downloadOnly, "install", `${name}-server`, `${name}-tools`)
    await download("redis").catch(() => download("valkey"))
    for (const file of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
      await run("dpkg-deb", ["-x", join(archives, file), join(work, "root")])
    }
    if (!existsSync(cache)) renameSync(join(work, "root"), cache)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

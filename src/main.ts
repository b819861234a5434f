import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Postgres } from "./Postgres.ts"
import { Settings } from "./Config.ts"
import { Vault } from "./Vault.ts"
import { ensureSuperuser } from "./auth/Superuser.ts"
import { Servers } from "./embedded/Servers.ts"
import { objectRoutes } from "./http/Objects.ts"
import { provisionRoutes } from "./http/Provision.ts"
import { serve } from "./http/Server.ts"
import { statusRoutes } from "./http/Status.ts"
import { Grammars } from "./inventory/Grammar.ts"
import { migrate } from "./inventory/Migrate.ts"

const no = () => undefined
const G = Layer.succeed(Grammars, { objectTypes: no, template: no, headers: no, url: no, condition: no, retry: no })
const Prepared = Layer.effectDiscard(
  Effect.gen(function* () {
    console.log((yield* migrate([])).length)
    console.log(yield* ensureSuperuser)
  })
)
const Http = Layer.unwrap(
  Effect.map(Settings, ({ host, port }) =>
    serve([...objectRoutes(), ...provisionRoutes, ...statusRoutes]).pipe(
      Layer.provide(NodeHttpServer.layer(createServer, { host, port }))
    )
  )
)
const M = Http.pipe(
  Layer.provide(Prepared),
  Layer.provide(G),
  Layer.provide(Vault.layer),
  Layer.provide(Postgres.layer),
  Layer.provide(Servers.layer),
  Layer.provide(Settings.layer)
)
NodeRuntime.runMain(Layer.launch(M))

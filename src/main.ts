import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Settings, reveal } from "./Config.ts"
import { Servers } from "./embedded/Servers.ts"
const M = Layer.effectDiscard(
  Effect.gen(function* () {
    const s = yield* Servers
    console.log("ready", reveal(s.databaseUrl), reveal(s.redisUrl), process.uptime())
  })
).pipe(Layer.provide(Servers.layer), Layer.provide(Settings.layer))
NodeRuntime.runMain(Layer.launch(M))

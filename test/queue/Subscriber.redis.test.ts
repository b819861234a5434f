/** The connection that hears of new entries, to a Redis that ends again and again. */
import { type AddressInfo, type Socket, connect, createServer } from "node:net"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { expect, it } from "vitest"
import { Servers } from "../../src/embedded/Servers.ts"
import { Streams } from "../../src/queue/Streams.ts"
import { emptyRedis } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { redisAlone } from "../support/Redis.ts"

const run = Effect.runPromise

/** How long connections are refused after one that has subscribed, milliseconds: a command is given up meanwhile. */
const refusedMillis = 400

/** Passes on what is sent to Redis. While `isFlapping`, it ends each connection that subscribes, and is away then. */
const startProxy = async () => {
  const target = Number(new URL(await emptyRedis()).port)
  const sockets = new Set<Socket>()
  const state = { isFlapping: false, subscriptions: 0 }
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    for (const [from, to] of [
      [near, far],
      [far, near]
    ] as const) {
      sockets.add(from)
      from.on("error", () => {})
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
    }
    far.pipe(near)
    near.on("data", (chunk: Buffer) => {
      const subscribes = /subscribe/i.test(chunk.toString("latin1"))
      if (subscribes) state.subscriptions += 1
      if (!subscribes || !state.isFlapping) return void far.write(chunk)
      cut()
      server.close()
      setTimeout(() => server.listen(port, "127.0.0.1"), refusedMillis)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const url = new URL(await emptyRedis())
  url.port = `${port}`
  return { url: url.href, state, cut, close: () => server.close() }
}

it("subscribes again after each connection, and a connection that is lost meanwhile ends nothing", async () => {
  const unheard: Array<unknown> = []
  const note = (error: unknown) => unheard.push(error)
  process.on("unhandledRejection", note)
  const proxy = await startProxy()
  const scope = Scope.makeUnsafe()
  try {
    const servers = Layer.succeed(Servers, {
      databaseUrl: Redacted.make(""),
      redisUrl: Redacted.make(proxy.url),
      secretKey: Redacted.make("none")
    })
    const layer = Layer.fresh(Streams.layer("subscriber").pipe(Layer.provide(redisAlone), Layer.provide(servers)))
    const streams = Context.get(await run(Layer.buildWithScope(layer, scope)), Streams)
    const heard: Array<number> = []
    await run(
      Scope.provide(
        streams.onWake((webhook) => void heard.push(webhook)),
        scope
      )
    )
    const hears = (webhook: number) =>
      eventually("it hears of new entries", async () => {
        await run(Effect.ignore(streams.announce(webhook)))
        return heard.includes(webhook)
      })
    await hears(71)
    proxy.state.isFlapping = true
    proxy.cut()
    const before = proxy.state.subscriptions
    await eventually("it has tried several times", () => proxy.state.subscriptions >= before + 3)
    proxy.state.isFlapping = false
    await hears(72)
    expect(unheard).toEqual([])
  } finally {
    await run(Scope.close(scope, Exit.void))
    proxy.close()
    process.off("unhandledRejection", note)
  }
})

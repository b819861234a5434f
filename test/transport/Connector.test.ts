/** Blocked targets see nothing of us: no connection, not even an attempt of one. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { createServer } from "node:http"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import type { Connections } from "../../src/transport/Connector.ts"
import type { Resolve } from "../../src/transport/Lookups.ts"
import { type TargetRules, policies, readRules } from "../../src/transport/TargetPolicy.ts"
import { connections, listen, sent } from "../deliver/Receiver.ts"
import { closed, inside } from "./targets.ts"

/** Sockets that this process began to connect. */
let sockets = 0
const counting = () => {
  sockets = 0
  const count = () => void (sockets += 1)
  subscribe("net.client.socket", count)
  onTestFinished(() => void unsubscribe("net.client.socket", count))
}

const rules = (policy: TargetRules["policy"], allow: Array<string> = [], deny: Array<string> = []) =>
  readRules(policy, allow, deny) as TargetRules

const post = async (url: string, by: Connections) => {
  const outgoing = { method: "POST", url, headers: {}, body: Buffer.from("secret") } as const
  const { response, failure } = await sent(outgoing, by, 5000)
  return failure?.reason ?? response?.status
}

/** A resolver that gives these answers one after the other, the last one for good. */
const answering = (...answers: ReadonlyArray<ReadonlyArray<string>>): Resolve & { asked: number } => {
  const resolve = async () => {
    const addresses = answers[Math.min(resolve.asked++, answers.length - 1)]!
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  }
  resolve.asked = 0
  return resolve
}

beforeEach(counting)

describe("a literal address", () => {
  test.each(policies)("that `%s` refuses gets no connection, however it is spelled", async (policy) => {
    const by = connections({ rules: rules(policy), resolve: () => expect.fail("a name was looked up") })
    const urls = policy === "public" ? [...closed, ...inside] : closed
    const answers = await Promise.all(urls.map((url) => post(url, by)))
    expect(answers).toEqual(urls.map(() => "Blocked"))
    expect(sockets).toBe(0)
  })
})

/** 127.0.0.1 may be reached and 127.0.0.2 may not; both listen on the same port and count their connections. */
const twoPlaces = async () => {
  const seen = { allowed: 0, refused: 0 }
  const server = (name: keyof typeof seen, location?: string) =>
    createServer((_, response) => {
      if (location !== undefined) response.writeHead(307, { location })
      response.end()
    }).on("connection", () => (seen[name] += 1))
  const port = await listen(server("allowed"))
  await listen(server("refused"), "127.0.0.2", port)
  const redirecting = await listen(server("allowed", `http://127.0.0.2:${port}/`))
  return { seen, url: `http://receiver.example:${port}/`, redirecting: `http://127.0.0.1:${redirecting}/` }
}

const oneOfTwo = rules("private", [], ["127.0.0.2", "::ffff:127.0.0.3", "169.254.0.0/16"])

describe("a name", () => {
  test.each([
    ["one refused address", ["127.0.0.2"]],
    ["several refused ones", ["127.0.0.2", "127.0.0.3", "169.254.169.254", "fe80::1", "::"]],
    ["none at all", []],
    ["what is no address", ["127.0.0.2.", "localhost"]],
    ["mapped ones", ["::ffff:127.0.0.2"]]
  ])("that means %s is refused without a socket on the wire", async (_, addresses) => {
    const { seen, url } = await twoPlaces()
    const resolve = answering(addresses)
    expect(await post(url, connections({ rules: oneOfTwo, resolve }))).toBe("Blocked")
    expect(resolve.asked).toBe(1)
    expect(seen).toEqual({ allowed: 0, refused: 0 })
  })

  test.each([
    ["first", ["127.0.0.2", "127.0.0.1"]],
    ["last", ["127.0.0.1", "127.0.0.2"]],
    ["among others", ["127.0.0.2", "fe80::1", "127.0.0.1", "127.0.0.2"]]
  ])("with a refused address %s is reached at the allowed ones only", async (_, addresses) => {
    const { seen, url } = await twoPlaces()
    expect(await post(url, connections({ rules: oneOfTwo, resolve: answering(addresses) }))).toBe(200)
    expect(seen).toEqual({ allowed: 1, refused: 0 })
  })

  test("that resolves to a refused address the second time is refused then", async () => {
    const { seen, url } = await twoPlaces()
    const resolve = answering(["127.0.0.1"], ["127.0.0.2"])
    expect(await post(url, connections({ rules: oneOfTwo, resolve }))).toBe(200)
    expect(await post(url, connections({ rules: oneOfTwo, resolve }))).toBe("Blocked")
    expect(seen).toEqual({ allowed: 1, refused: 0 })
  })

  test("is looked up once per connection, and the connection is to that address", async () => {
    const { seen, url } = await twoPlaces()
    const resolve = answering(["127.0.0.1"], ["127.0.0.2"])
    const by = connections({ rules: oneOfTwo, resolve })
    for (let turn = 0; turn < 3; turn++) {
      expect(await post(url, by)).toBe(200)
      // The answer is told before its connection is free again.
      await new Promise(setImmediate)
    }
    expect(resolve.asked).toBe(1)
    expect(seen).toEqual({ allowed: 1, refused: 0 })
  })

  test("that cannot be found says so", async () => {
    const failing: Resolve = () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }))
    expect(await post("http://receiver.example/", connections({ resolve: failing }))).toBe("Dns")
  })

  test("of this machine is not public", async () => {
    expect(await post("http://localhost:1/", connections({ rules: rules("public") }))).toBe("Blocked")
  })
})

describe("a connection", () => {
  test("whose peer is another address than the requested one gets no byte", async () => {
    let bytes = 0
    const server = createServer().on("connection", (socket) => socket.on("data", ({ length }) => (bytes += length)))
    const port = await listen(server, "127.0.0.1")
    // The kernel takes 0.0.0.0 for this machine and connects to 127.0.0.1.
    const by = connections({ rules: rules("private", ["0.0.0.0"], ["127.0.0.1"]) })
    expect(await post(`http://0.0.0.0:${port}/`, by)).toBe("Blocked")
    expect(await post(`https://0.0.0.0:${port}/`, by)).toBe("Blocked")
    expect(sockets).toBe(2)
    expect(bytes).toBe(0)
  })

  test("does not follow a redirect", async () => {
    const { seen, redirecting } = await twoPlaces()
    expect(await post(redirecting, connections({ rules: oneOfTwo }))).toBe("Status")
    expect(seen).toEqual({ allowed: 1, refused: 0 })
  })
})

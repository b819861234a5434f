/** Requests to providers, on real sockets. */
import { type ServerResponse, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { providerFetch } from "../../../src/auth/oidc/ProviderFetch.ts"
import { Settings } from "../../../src/Config.ts"
import { surroundings } from "../../support/Surroundings.ts"

let url: string
let answer: (response: ServerResponse) => unknown
const requests: Array<string> = []
const server = createServer((request, response) => {
  requests.push(String(request.headers["accept-encoding"]))
  answer(response)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** The status and text of the answer, or the message of the error. */
const fetched = async (target: string, answerMillis = 10_000, options: Readonly<Record<string, string>> = {}) =>
  (await fetchedInRounds([1], target, answerMillis, options))[0]!

/** The same for rounds of so many requests at once. */
const fetchedInRounds = (
  rounds: ReadonlyArray<number>,
  target: string,
  answerMillis: number,
  options: Readonly<Record<string, string>>
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const fetch = yield* providerFetch({ answerMillis, answerBytes: 1000, requestsMax: 2 })
        const call = () =>
          fetch(target, { method: "GET", headers: {}, body: undefined, redirect: "manual" }).then(
            async (response) => `${response.status} ${await response.text()}`,
            (error: Error & { readonly isAway: boolean }) => `${error.isAway ? "away" : "refused"}: ${error.message}`
          )
        return yield* Effect.promise(async () => {
          const answers: Array<string> = []
          for (const length of rounds) answers.push(...(await Promise.all(Array.from({ length }, call))))
          return answers
        })
      })
    ).pipe(Effect.provide(Settings.layer.pipe(Layer.provideMerge(surroundings(options).layer))))
  )

describe("an answer of a provider", () => {
  it("is read whole up to its limit, and refused beyond it, whether its length is declared or not", async () => {
    answer = (response) => response.end("a".repeat(1000))
    expect(await fetched(url)).toBe(`200 ${"a".repeat(1000)}`)
    answer = (response) => response.end("a".repeat(1001))
    expect(await fetched(url)).toMatch(/^refused: the answer of 127\.0\.0\.1:\d+ is larger than 1000 bytes$/)
    answer = (response) => {
      response.write("a".repeat(900))
      response.end("a".repeat(900))
    }
    expect(await fetched(url)).toContain("is larger than 1000 bytes")
  })

  it("is not inflated: none is requested compressed", async () => {
    const bomb = gzipSync("a".repeat(100_000))
    answer = (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb)
    expect(await fetched(url)).toContain("200 \u001f")
    expect(requests.at(-1)).toBe("identity")
  })

  it("that redirects is not followed", async () => {
    const before = requests.length
    answer = (response) => response.writeHead(302, { location: url }).end("elsewhere")
    expect([await fetched(url), requests.length - before]).toEqual(["302 elsewhere", 1])
  })

  it("that fails or never ends means that the provider is away", async () => {
    answer = (response) => response.writeHead(503).end()
    expect(await fetched(url)).toMatch(/^away: .* answered 503$/)
    answer = (response) => response.write("it begins")
    expect(await fetched(url, 50)).toMatch(/^away: .* no complete answer within 50 ms$/)
    answer = (response) => response.destroy()
    expect(await fetched(url)).toMatch(/^away: /)
  })
})

it("more requests at once than the limit fail at once, and the next one is sent", async () => {
  answer = (response) => response.end("an answer")
  const busy = "away: too many requests to providers are under way"
  expect(await fetchedInRounds([3, 1], url, 10_000, {})).toEqual([
    "200 an answer",
    "200 an answer",
    busy,
    "200 an answer"
  ])
})

describe("the target policy", () => {
  it("refuses metadata services, and with `public` private addresses, without a connection", async () => {
    expect(await fetched("http://169.254.169.254/latest/")).toContain("refused by the target policy")
    const before = requests.length
    expect(await fetched(url, 10_000, { WEBHOOK_TARGET_POLICY: "public" })).toContain("refused by the target policy")
    expect(requests.length).toBe(before)
    answer = (response) => response.end("allowed")
    const opened = { WEBHOOK_TARGET_POLICY: "public", WEBHOOK_ALLOW: "127.0.0.1" }
    expect(await fetched(url, 10_000, opened)).toBe("200 allowed")
  })
})

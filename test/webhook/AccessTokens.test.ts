/** Tokens of OAuth 2.0: asked for, shared, kept, renewed, and refused, at a real endpoint. */
import { createServer } from "node:http"
import { Effect, Result } from "effect"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { WebhookClient } from "../../src/webhook/Connected.ts"
import type { ConnectionOptions } from "../../src/transport/Connector.ts"
import { AccessTokens } from "../../src/webhook/identity/AccessTokens.ts"
import { sendAs } from "../../src/webhook/SendAs.ts"
import { type OAuthClient, tokenUrlProblem } from "../../src/webhook/identity/TokenRequest.ts"
import { readRules } from "../../src/transport/TargetPolicy.ts"
import { eventually } from "../support/Eventually.ts"
import { connections, listen, nobody, targetRules } from "../deliver/Receiver.ts"
import { startTokenEndpoint } from "./TokenEndpoint.ts"

const secret = "planted secret: with %, + and ä"

/** A webhook of this client; `post` makes one attempt. */
const webhook = (client: Partial<OAuthClient> & { readonly url: string }, options: Partial<ConnectionOptions> = {}) => {
  const target = { webhook: 5, rules: targetRules, tls: {}, timeoutMillis: 10_000, ...options }
  const tokens = new AccessTokens({ id: "the client", secret, scope: "", auth: "basic", ...client }, target, "")
  const definition = { timeoutMillis: target.timeoutMillis } as WebhookClient["definition"]
  const connected = { definition, connections: connections(), isRendered: false, tokens }
  return {
    tokens,
    post: async (url: string) => {
      const outgoing = { method: "POST", url, headers: { authorization: "own" }, body: Buffer.from("x") } as const
      const sent = await Effect.runPromise(Effect.result(sendAs(outgoing, connected, Date.now())))
      if (Result.isFailure(sent)) return { status: undefined, failure: sent.failure.failure, headers: {} }
      const [{ headers }, { response, failure }] = sent.success
      return { status: response?.status, failure, headers }
    }
  }
}

/** Turns the clock beyond the rest between two requests to the endpoint, until the end of the test. */
const rest = () => {
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 1100)
  onTestFinished(() => clock.mockRestore())
}

describe("a token", () => {
  it("is asked for once by attempts that need it at once, and kept for those after them", async () => {
    let answer = () => {}
    const all = new Promise<void>((resolve) => (answer = resolve))
    const endpoint = await startTokenEndpoint(async (_, token) => {
      await all
      return [200, { access_token: token, token_type: "bearer", expires_in: "3600" }]
    })
    const { post } = webhook(endpoint)
    const posted = Array.from({ length: 20 }, () => post(endpoint.receiver))
    await eventually("a token is asked for", () => endpoint.asked.length > 0)
    answer()
    const sent = await Promise.all(posted)
    expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect((await post(endpoint.receiver)).headers).toEqual({ authorization: "Bearer planted-token-1" })
    expect(endpoint.asked).toHaveLength(1)
  })

  it.each([
    [
      "in the header, encoded as the RFC says",
      "basic",
      `Basic ${Buffer.from("the+client:planted+secret%3A+with+%25%2C+%2B+and+%C3%A4").toString("base64")}`,
      {}
    ],
    ["in the body", "body", undefined, { client_id: "the client", client_secret: secret }]
  ] as const)("is asked for with the credentials %s", async (_, auth, authorization, fields) => {
    const endpoint = await startTokenEndpoint()
    await webhook({ ...endpoint, auth, scope: "hooks.write a" }).post(endpoint.receiver)
    const form = { grant_type: "client_credentials", scope: "hooks.write a", ...fields }
    expect(endpoint.asked).toEqual([{ authorization, form }])
  })

  it("is asked for again shortly before it expires, and never more than one at a time", async () => {
    const endpoint = await startTokenEndpoint((_, token) => [200, { access_token: token, expires_in: 1 }])
    const { post } = webhook(endpoint)
    await eventually("a third token", async () => {
      const sent = await Promise.all([post(endpoint.receiver), post(endpoint.receiver)])
      expect(sent.map(({ status }) => status)).toEqual([200, 200])
      return endpoint.asked.length >= 3
    })
    expect(endpoint.atOnce()).toBe(1)
  })

  it("that the receiver refuses is renewed once, by one request for all attempts, and they are sent again", async () => {
    const endpoint = await startTokenEndpoint()
    const { post } = webhook(endpoint)
    await post(endpoint.receiver)
    rest()
    endpoint.revoke()
    const sent = await Promise.all(Array.from({ length: 8 }, () => post(endpoint.receiver)))
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]))
    expect(sent[0]!.headers).toEqual({ authorization: "Bearer planted-token-2" })
    expect(endpoint.asked).toHaveLength(2)
  })

  it("that was renewed and is refused again leaves the 401 as the answer", async () => {
    const endpoint = await startTokenEndpoint((_, token) => [200, { access_token: `other-${token}` }])
    const { post } = webhook(endpoint)
    const first = await post(endpoint.receiver)
    // Too early to ask again.
    expect([first.status, endpoint.asked.length, endpoint.got.length]).toEqual([401, 1, 1])
    rest()
    const second = await post(endpoint.receiver)
    expect([second.status, second.failure?.reason, endpoint.asked.length]).toEqual([401, "Status", 2])
    expect(endpoint.got).toHaveLength(3)
  })

  it("that cannot be renewed tells both answers", async () => {
    const endpoint = await startTokenEndpoint((number, token) =>
      number === 1 ? [200, { access_token: token }] : [400, { error: "invalid_client" }]
    )
    const { post } = webhook(endpoint)
    await post(endpoint.receiver)
    rest()
    endpoint.revoke()
    expect(await post(endpoint.receiver)).toMatchObject({
      status: 401,
      failure: {
        reason: "Token",
        message:
          "The receiver refused the token with 401. The token endpoint answered 400 and the error invalid_client."
      }
    })
  })
})

describe("a token endpoint", () => {
  it.each([
    [
      "refuses",
      401,
      { error: "invalid_client", error_description: secret },
      "answered 401 and the error invalid_client."
    ],
    ["refuses with words of its own", 400, { error: secret }, "answered 400."],
    ["leads elsewhere", 302, "", "answered 302."],
    ["answers no JSON", 200, `<p>${secret}</p>`, "answered 200, without an access_token that can be sent."],
    ["gives no token", 200, { token: "x" }, "without an access_token"],
    ["gives one with a line break", 200, { access_token: "a\r\nX-Evil: b" }, "without an access_token"],
    ["gives one of another kind", 200, { access_token: "a", token_type: "mac" }, "token_type is not Bearer"],
    ["gives one without end", 200, { access_token: "a".repeat(100_000) }, "without an access_token"]
  ])("that %s fails the attempt in words, and nothing is sent", async (_, status, body, message) => {
    const endpoint = await startTokenEndpoint(() => [status, body, { location: "/hook" }])
    const { post } = webhook(endpoint)
    const { failure } = await post(endpoint.receiver)
    expect(failure).toMatchObject({ reason: "Token", isTooMuch: false })
    expect(failure?.message).toContain(message)
    expect(failure?.message).not.toContain("planted")
    expect(endpoint.got).toEqual([])
    // Its failure is shared for a moment, too.
    await post(endpoint.receiver)
    expect(endpoint.asked).toHaveLength(1)
  })

  it("that asks to wait is waited for", async () => {
    const endpoint = await startTokenEndpoint(() => [429, "", { "retry-after": "17" }])
    const { failure } = await webhook(endpoint).post(endpoint.receiver)
    expect(failure).toMatchObject({ reason: "Token", retryAfterMillis: 17_000, isTooMuch: true })
  })

  it("that nobody is, or that the target policy refuses, gives no answer", async () => {
    const endpoint = await startTokenEndpoint()
    const away = await webhook({ url: await nobody() }).post(endpoint.receiver)
    expect(away.failure?.message).toMatch(/^The token endpoint gave no answer: .*ECONNREFUSED/)
    const rules = readRules("public", [], []) as typeof targetRules
    const refused = await webhook(endpoint, { rules }).post(endpoint.receiver)
    expect(refused.failure?.message).toBe(
      "The token endpoint gave no answer: 127.0.0.1 is refused by the target policy: it is a loopback address."
    )
    expect([endpoint.asked, endpoint.got]).toEqual([[], []])
  })

  it("that does not answer in the time of the attempt fails it", async () => {
    const url = `http://127.0.0.1:${await listen(createServer(() => {}))}/token`
    const { post } = webhook({ url }, { timeoutMillis: 300 })
    const sent = await Promise.all([post(url), post(url), post(url)])
    for (const { failure } of sent) {
      expect(failure).toMatchObject({ reason: "Token", message: expect.stringMatching(/ms\.$/) as string })
    }
  })

  it("that is slow answers attempts that wait, also when the first one's time is over", async () => {
    const answers: Array<() => void> = []
    const endpoint = await startTokenEndpoint(async (_, token) => {
      await new Promise<void>((resolve) => answers.push(resolve))
      return [200, { access_token: token }]
    })
    const { tokens } = webhook(endpoint)
    const [first, second] = [tokens.get(100), tokens.get(60_000)].map((each) => Effect.runPromise(each))
    expect((await first!).failure?.message).toBe("The token endpoint gave no token within 100 ms.")
    await expect.poll(() => answers).toHaveLength(1)
    answers[0]!()
    expect(await second).toMatchObject({ token: "planted-token-1" })
    expect(endpoint.asked).toHaveLength(1)
  })

  it.each([
    ["https://user:pass@login.example/token", "oauth_client_secret"],
    ["https://{{ data.host }}/token", "template"],
    ["login.example/token", "valid URL"]
  ])("has no address like %s", (url, message) => {
    expect(tokenUrlProblem(url)).toContain(message)
    expect(tokenUrlProblem("https://login.example/token?a=b")).toBeUndefined()
  })
})

import { describe, expect, it } from "vitest"
import { credentialsIn, headerText, headersOf, withoutCredentials } from "../../src/deliver/attempt/HeaderText.ts"

describe("headers in the log", () => {
  it("hide credentials, and nothing else", () => {
    const hidden = [
      "authorization",
      "proxy-authorization",
      "cookie",
      "set-cookie",
      "x-api-key",
      "x-auth",
      "x-gitlab-token"
    ]
    const shown = ["www-authenticate", "x-hook-signature", "webhook-signature", "content-type", "idempotency-key"]
    const all = Object.fromEntries([...hidden, ...shown].map((name) => [name, "value"]))
    expect(headersOf(headerText(all))).toEqual([
      ...hidden.map((name) => ({ name, value: "***" })),
      ...shown.map((name) => ({ name, value: "value" }))
    ])
  })

  it("hide credentials that a receiver echoes", () => {
    const sent = { authorization: "Bearer abcdefgh", cookie: "id=12345678; lang=de", "x-name": "something else" }
    const answer = '{"you sent": "Bearer abcdefgh", "and": ["12345678", "de"], "name": "something else"}'
    expect(withoutCredentials(answer, credentialsIn(sent))).toBe(
      '{"you sent": "Bearer ***", "and": ["***", "de"], "name": "something else"}'
    )
  })

  it("keep each of several values", () => {
    expect(headerText({ via: ["one", "two"], gone: [] })).toBe("via: one\nvia: two\n")
  })

  it("end after a page, however many a receiver sends", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`x-${n}`, "y".repeat(100)]))
    const text = headerText(many)
    expect(text.length).toBeLessThan(5000)
    expect(headersOf(text).at(-1)!.value.endsWith("…")).toBe(true)
  })
})

import { describe, expect, it } from "vitest"
import { headerText, headersOf, maskOf } from "../../src/webhook/HeaderText.ts"

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
    expect(maskOf(sent)(answer)).toBe('{"you sent": "Bearer ***", "and": ["***", "de"], "name": "something else"}')
  })

  it("hide credentials that a receiver echoes as JSON, HTML, a URL or base64", () => {
    const credential = `<s3cr&t "with" ä>`.replaceAll(" ", "")
    const mask = maskOf({ "x-api-key": credential })
    const base64 = Buffer.from(credential).toString("base64")
    const html = "&lt;s3cr&amp;t&quot;with&quot;ä&gt;"
    for (const echo of [JSON.stringify(credential).slice(1, -1), html, encodeURIComponent(credential), base64])
      expect(mask(`you sent ${echo}`)).toMatch(/^you sent \*\*\*=*$/)
  })

  it("hide a credential as a whole that begins with another one", () => {
    expect(maskOf({ "x-api-key": "abcdefgh", authorization: "Token abcdefghij" })("abcdefghij abcdefgh")).toBe(
      "*** ***"
    )
  })

  it("hide the whole answer to a request with more than 64 credentials", () => {
    const keys = (count: number) => Array.from({ length: count }, (_, n) => `credential-${n}`).join(" ")
    const answer = "an answer of words and credential-1"
    expect(maskOf({ "x-api-key": keys(64) })(answer)).toBe("an answer of words and ***")
    expect(maskOf({ "x-api-key": `${keys(64)} ${keys(64)}` })(answer)).toBe("an answer of words and ***")
    expect(maskOf({ "x-api-key": keys(65) })(answer)).toBe("***")
    expect(maskOf({ "x-api-key": keys(65) })("")).toBe("")
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

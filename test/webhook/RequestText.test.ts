import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { addressProblem, headersProblem, isTemplate } from "../../src/webhook/RequestText.ts"

describe("a literal address", () => {
  test.each([
    "http://receiver.example",
    "https://receiver.example:8443/path?query=1#part",
    "HTTP://RECEIVER.EXAMPLE/",
    "http://127.0.0.1:9000/",
    "http://[::1]:9000/",
    "https://bücher.example/",
    "\n http://receiver.example/ "
  ])("is sound: %j", (url) => {
    expect(addressProblem(url)).toBeUndefined()
  })

  test.each([
    "",
    "receiver.example",
    "//receiver.example",
    "http:",
    "http://",
    "http:receiver.example",
    "http:///path",
    "ftp://receiver.example",
    "file:///etc/passwd",
    "ftp://receiver.example/http://receiver.example",
    "javascript:alert(1)",
    "http://a b/",
    "http://receiver.example:99999/",
    "http://[::1/",
    "see http://receiver.example"
  ])("is not: %j", (url) => {
    expect(addressProblem(url)).toBe("Enter a valid URL, beginning with http:// or https://.")
  })

  test("has 8,192 characters at most", () => {
    const address = (length: number) => "http://receiver.example/".padEnd(length, "x")
    expect(addressProblem(address(8192))).toBeUndefined()
    expect(addressProblem(address(8193))).toBe("The address would have 8,193 characters, and 8,192 are the most.")
  })

  test("is judged for any text without an exception, and one that is sound can be parsed", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.string().map((rest) => `http://${rest}`)
    )
    fc.assert(
      fc.property(texts, (url) => {
        expect(addressProblem(url) !== undefined || URL.canParse(url)).toBe(true)
      })
    )
  })
})

describe("literal header text", () => {
  test.each([
    "",
    "\n\n  \r\n",
    "X-A: b",
    "X-A:b:c\r\nX-B:",
    "Authorization: Bearer abc==\nX-C:\ttab\tin\tit",
    "X-Latin: ä",
    "Host: other.example",
    "  X-A : b"
  ])("is sound: %j", (text) => {
    expect(headersProblem(text)).toBeUndefined()
  })

  test.each<readonly [string, string]>([
    ["X-A", 'Line 1 is not a header (expected "Name: Value").'],
    ["X-A: b\n\nnonsense", 'Line 3 is not a header (expected "Name: Value").'],
    [": b", "Line 1 has no valid header name."],
    ["X A: b", "Line 1 has no valid header name."],
    ["X-Ä: b", "Line 1 has no valid header name."],
    ["X-A: b\rX-B: c", "Line 1 has a control character in its value."],
    ["X-A: b\0", "Line 1 has a control character in its value."],
    ["ok: yes\nX-A: \u2603", "Line 2 has a character in its value that HTTP cannot carry."],
    ["Content-Length: 5", "Content-Length cannot be set."],
    ["X-A: b\ntransfer-encoding: chunked", "transfer-encoding cannot be set."],
    ["CONNECTION: close", "CONNECTION cannot be set."],
    ["Upgrade: h2c", "Upgrade cannot be set."],
    ["Expect: 100-continue", "Expect cannot be set."],
    ...["TE", "Trailer", "Keep-Alive"].map((name) => [`${name}: 5`, `${name} cannot be set.`] as const)
  ])("is not: %j", (text, problem) => {
    expect(headersProblem(text)).toBe(problem)
  })

  test("has 8,192 characters in a header and 65,536 in all at most", () => {
    const header = (length: number) => `X-A: ${"b".repeat(length)}`
    expect(headersProblem(header(8192))).toBeUndefined()
    expect(headersProblem(`X-B: c\n${header(8193)}`)).toBe("Line 2 is longer than 8,192 characters.")
    const all = "X-A: b\n".padEnd(65_536)
    expect(headersProblem(all)).toBeUndefined()
    expect(headersProblem(`${all} `)).toBe("The headers would have 65,537 characters, and 65,536 are the most.")
  })
})

describe("a text", () => {
  test.each(["{{ x }}", "a {% if x %}", "{# comment #}", "{{"])("with the marks of a template is one: %j", (text) => {
    expect(isTemplate(text)).toBe(true)
  })

  test.each(["", "plain", "{ x }", "}} %} #}", '{"a":1}', "{\n{"])("without them is not: %j", (text) => {
    expect(isTemplate(text)).toBe(false)
  })
})

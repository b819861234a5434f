import { describe, expect, it, test } from "vitest"
import { type Place, bytesOf, placeOf } from "../../src/transport/exchange/RequestBytes.ts"

const place = placeOf("http://receiver.example:8080/hook?a=b")

const textOf = (outgoing: Partial<Parameters<typeof bytesOf>[0]> = {}, to: Place = place): string =>
  Buffer.concat([...bytesOf({ method: "POST", headers: {}, body: Buffer.from("body"), ...outgoing }, to)]).toString(
    "latin1"
  )

describe("the bytes of a request", () => {
  it("are its line, the host, its headers in their order, the length and the body", () => {
    expect(textOf({ headers: { "content-type": "text/plain", "x-a": "b\xe4" } })).toBe(
      "POST /hook?a=b HTTP/1.1\r\nhost: receiver.example:8080\r\nconnection: keep-alive\r\n" +
        "content-type: text/plain\r\nx-a: b\xe4\r\ncontent-length: 4\r\n\r\nbody"
    )
  })

  it("have the host that the webhook sets, once", () => {
    expect(textOf({ headers: { host: "other.example" } }).match(/host: .*/g)).toEqual(["host: other.example"])
  })

  it("have no length where there is no body and none is expected", () => {
    const body = Buffer.alloc(0)
    const lengths = (["GET", "DELETE", "POST", "PUT", "PATCH"] as const).map(
      (method) => /content-length: (\d+)/.exec(textOf({ method, body }))?.[1]
    )
    expect(lengths).toEqual([undefined, undefined, "0", "0", "0"])
  })

  it("keep a long body apart, as it is", () => {
    const body = Buffer.alloc(100_000, "x")
    const parts = bytesOf({ method: "POST", headers: {}, body }, place)
    expect(parts[1]).toBe(body)
    expect(parts[0]!.toString()).toMatch(/content-length: 100000\r\n\r\n$/)
  })

  test.each<readonly [string, Record<string, string>]>([
    ["a line break in a value", { "x-a": "b\r\nx-b: c" }],
    ["a character that HTTP has not", { "x-a": "\u2603" }],
    ["a name with a colon", { "x:a": "b" }],
    ["an empty name", { "": "b" }],
    ["a line break in the host", { host: "a\r\nx-b: c" }]
  ])("are not made of %s", (_, headers) => {
    expect(() => textOf({ headers })).toThrow("HTTP cannot carry the header")
  })
})

describe("the place that a URL leads to", () => {
  it("has an IPv6 address without brackets, and the usual port as none", () => {
    const { origin, protocol, host, hostname, port, path } = placeOf("https://[::1]:443")
    expect([origin, protocol, host, hostname, port, path]).toEqual(["https://[::1]", "https:", "[::1]", "::1", "", "/"])
  })

  it("has no characters that would end the line of the request", () => {
    expect(placeOf("http://a/b c\u00e4?d e#f").path).toBe("/b%20c%C3%A4?d%20e")
  })
})

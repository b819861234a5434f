import { Effect } from "effect"
import { request } from "undici"
import { describe, expect, test } from "vitest"
import { describeRequest, listen } from "../../src/command/WebhookReceiver.ts"

const received = {
  number: 3,
  date: "Fri, 20 Nov 2026 23:48:01 GMT",
  address: "127.0.0.1",
  method: "POST",
  path: "/hook?x=1",
  httpVersion: "1.1",
  headers: ["Host", "localhost:9000", "X-Hook-Signature", "ab", "X-Foo", "Bar"],
  contentType: "application/json",
  body: '{"event":"created","data":{"id":1}}'
}

const line = (...lines: ReadonlyArray<string>) => lines.join("\n")

const first = '[3] Fri, 20 Nov 2026 23:48:01 GMT 127.0.0.1 "POST /hook?x=1 HTTP/1.1" 200 -'
const last = line("Completed request #3", "------------")
const json = line("{", '    "event": "created",', '    "data": {', '        "id": 1', "    }", "}")

describe("a request", () => {
  test("is printed with its headers, a blank line, and its JSON indented by four", () => {
    expect(describeRequest(received, true)).toBe(
      line(first, "Host: localhost:9000", "X-Hook-Signature: ab", "X-Foo: Bar", "", json, last)
    )
  })

  test("is printed with control characters as escapes, which a terminal would obey", () => {
    const hostile = {
      path: "/\x1b[2J",
      headers: ["X-A", "\u009b31m\r"],
      contentType: "text/plain",
      body: "a\tb\r\nc\rd\x1b]0;x\x07\u202e\n"
    }
    expect(describeRequest({ ...received, ...hostile }, true)).toBe(
      line(
        first.replace("/hook?x=1", String.raw`/\u001b[2J`),
        ...[String.raw`X-A: \u009b31m\u000d`, ""],
        ...["a\tb\r", String.raw`c\u000dd\u001b]0;x\u0007\u202e`, "", last]
      )
    )
  })

  test("is printed without headers and blank line if headers are off", () => {
    expect(describeRequest(received, false)).toBe(line(first, json, last))
  })

  test("without a body is printed with a note", () => {
    expect(describeRequest({ ...received, body: "" }, false)).toBe(line(first, "(No body)", last))
    expect(describeRequest({ ...received, headers: [], body: "" }, true)).toBe(line(first, "", "(No body)", last))
  })

  test.each(["application/json; charset=utf-8", "application/problem+json"])(
    "of type %s is JSON too",
    (contentType) => {
      expect(describeRequest({ ...received, contentType }, false)).toBe(line(first, json, last))
    }
  )

  test.each(["text/plain", "", "application/x-www-form-urlencoded", "text/notjson"])(
    "of type %j is printed as it came",
    (contentType) => {
      expect(describeRequest({ ...received, contentType, body: '{"a":1}' }, false)).toBe(line(first, '{"a":1}', last))
    }
  )

  test.each(["{", "created", '{"a":1}}'])("of type JSON with an invalid body is printed as it came: %j", (body) => {
    expect(describeRequest({ ...received, body }, false)).toBe(line(first, body, last))
  })
})

describe("the receiver", () => {
  test("accepts any request, answers 200, and prints the request", async () => {
    const printed: Array<string> = []
    const both = Promise.withResolvers<void>()
    const print = (text: string) => {
      printed.push(text)
      if (printed.length === 2) both.resolve()
    }
    const visit = Effect.gen(function* () {
      const { port } = yield* listen(0, true, print)
      return yield* Effect.promise(async () => {
        const send = async (method: "DELETE" | "POST", body: string) => {
          const url = `http://localhost:${port}/any/path`
          const { statusCode, body: answer } = await request(url, { method, body, headers: { "X-Foo": "Bar" } })
          return [statusCode, await answer.text()]
        }
        const answers = [await send("POST", "first"), await send("DELETE", "")]
        await both.promise
        return answers
      })
    })
    const answers = await Effect.runPromise(Effect.scoped(visit))
    expect(answers).toEqual([
      [200, "Webhook received!\n"],
      [200, "Webhook received!\n"]
    ])
    expect(printed.map((text) => text.replaceAll(/^.*GMT \S+ /gm, ""))).toEqual([
      expect.stringMatching(
        /^"POST \/any\/path HTTP\/1.1" 200 -\n[^]*\nX-Foo: Bar\n[^]*\n\nfirst\nCompleted request #1\n/
      ) as string,
      expect.stringMatching(
        /^"DELETE \/any\/path HTTP\/1.1" 200 -\n[^]*\n\n\(No body\)\nCompleted request #2\n/
      ) as string
    ])
  })
})

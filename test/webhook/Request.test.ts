import { createHmac } from "node:crypto"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { version } from "../../src/Config.ts"
import type { Definition } from "../../src/webhook/Definition.ts"
import { buildRequest } from "../../src/webhook/Request.ts"
import { headersProblem, isTemplate } from "../../src/webhook/RequestText.ts"
import { retrySchedule, usualPolicy } from "../../src/webhook/RetrySchedule.ts"
import { type Signing, sign } from "../../src/webhook/Sign.ts"
import type { Delivery } from "../../src/event/Delivery.ts"
import { Templates } from "../../src/template/Template.ts"
import { codePoint } from "../support/CodePoint.ts"
import { renderHere } from "../support/RenderHere.ts"
import { targetRules } from "../deliver/Receiver.ts"
import { runs } from "../support/Seed.ts"

const identity = { address: "https://receiver.example/hook", certificate: undefined, oauth: undefined }

const row = { http_content_type: "application/json", template_engine: "jinja" } as Definition["row"]

const definition: Definition = {
  row,
  ...{ id: 7, owner: undefined, changed: 0 },
  method: "POST",
  url: "https://receiver.example/hook",
  identity,
  chainHeader: (before) => [...(before ?? []), 7].join(","),
  headers: "",
  bodyTemplate: "",
  signing: { style: "netbox", secret: "", previous: "" },
  previousUntil: 0,
  timeoutMillis: 1000,
  maxInFlight: 1,
  rateLimit: undefined,
  ordered: false,
  batch: undefined,
  schedule: retrySchedule(usualPolicy),
  target: { webhook: 5, rules: targetRules, tls: {}, timeoutMillis: 1000 }
}

const delivery: Delivery = {
  id: "7-100-3",
  webhook: 7,
  position: "100",
  idx: 3,
  event: "created",
  objectType: "dcim.site",
  objectId: 1,
  requestId: "11111111-2222-4333-8444-555555555555",
  time: "2026-11-20T23:48:01.123456+00:00",
  attempts: 0,
  spent: 0,
  firstAttempt: 0,
  body: '{"event":"created","data":{"name":"Ort ä","id":1}}'
}

const signedWith = (secret: string, fields: Partial<Signing> = {}): Pick<Definition, "signing"> => ({
  signing: { style: "netbox", secret, previous: "", ...fields }
})

/** The request, or why there is none. */
const build = (webhook: Partial<Definition> = {}, owed: Partial<Delivery> = {}) =>
  Effect.runSync(
    Effect.flatMap(Templates, (templates) =>
      buildRequest(
        { ...definition, ...webhook, identity: { ...identity, address: webhook.url ?? definition.url } },
        { ...delivery, ...owed },
        templates,
        Date.now()
      )
    ).pipe(Effect.provide(renderHere))
  )

const built = (webhook: Partial<Definition> = {}, owed: Partial<Delivery> = {}) =>
  Result.getOrThrow(build(webhook, owed))

describe("a request", () => {
  test("carries the event to the letter where the webhook has no template", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.constantFrom("GET", "POST", "DELETE"), (body, method) => {
        const request = built({ method }, { body })
        expect(request).toMatchObject({ method, url: definition.url })
        expect(request.body.equals(Buffer.from(body))).toBe(true)
      })
    )
  })

  test("is signed with the previous secret too, until it expires", () => {
    const signing = signedWith("new", { previous: "old", style: "standard" })
    const during = built({ ...signing, previousUntil: Number.POSITIVE_INFINITY }).headers
    expect(during["x-hook-signature-previous"]).toBe(sign("old", Buffer.from(delivery.body)))
    expect(during["webhook-signature"]?.split(" ")).toHaveLength(2)
    expect(during["webhook-id"]).toBe(during["x-hook-delivery"])
    const after = built({ ...signing, previousUntil: 1 }).headers
    expect(after).not.toHaveProperty("x-hook-signature-previous")
    expect(after["webhook-signature"]?.split(" ")).toHaveLength(1)
  })

  test("is signed over the exact bytes of its body, if the webhook has a secret", () => {
    const secret = fc.string({ unit: codePoint, minLength: 1 })
    fc.assert(
      fc.property(secret, fc.string({ unit: codePoint }), (secret, body) => {
        const request = built(signedWith(secret), { body })
        const expected = createHmac("sha512", Buffer.from(secret)).update(request.body).digest("hex")
        expect(request.headers["x-hook-signature"]).toBe(expected)
      })
    )
    expect(built(signedWith("")).headers).not.toHaveProperty("x-hook-signature")
  })

  test("is signed over the body that its template gives", () => {
    const request = built({ ...signedWith("key"), bodyTemplate: "{{ data.name }}!" })
    expect(request.body.toString()).toBe("Ort ä!")
    expect(request.headers["x-hook-signature"]).toBe(createHmac("sha512", "key").update("Ort ä!").digest("hex"))
  })

  test("loses the last line break of its template, as in Jinja, also where nothing else in it is a template", () => {
    expect(built({ bodyTemplate: "plain\r\ntext\n" }).body.toString()).toBe("plain\ntext")
  })

  test("is rendered by the webhook's engine", () => {
    expect(build({ bodyTemplate: "{{ event }}", row: { ...row, template_engine: "nosuch" } })).toMatchObject({
      failure: { reason: "Render" }
    })
  })

  test("says what it is, of which delivery, and which attempt", () => {
    expect(built({}, { attempts: 4 }).headers).toEqual({
      "content-type": "application/json",
      "user-agent": `rackwire/${version}`,
      "x-hook-delivery": "7-100-3",
      "x-hook-attempt": "5",
      "x-hook-chain": "7"
    })
  })

  test("has the webhook's headers, which may change what it says of itself but not of the delivery", () => {
    const headers =
      "X-A: b:c\ncontent-TYPE:text/plain\nUser-Agent: me\nX-Hook-Delivery: 1\nX-Hook-Signature: forged\nX-Hook-Chain: 1"
    expect(built({ headers, ...signedWith("key") }).headers).toEqual({
      "x-a": "b:c",
      "content-type": "text/plain",
      "user-agent": "me",
      "x-hook-delivery": "7-100-3",
      "x-hook-attempt": "1",
      "x-hook-chain": "7",
      "x-hook-signature": createHmac("sha512", "key").update(delivery.body).digest("hex")
    })
  })

  test("is filled from the event in URL and headers too", () => {
    const request = built({
      url: "https://receiver.example/{{ data.id }}?{% if event == 'created' %}new{% endif %}",
      headers: "X-Event: {{ event }}\nX-Plain: yes"
    })
    expect(request.url).toBe("https://receiver.example/1?new")
    expect(request.headers).toMatchObject({ "x-event": "created", "x-plain": "yes" })
  })

  test.each<readonly [string, Partial<Definition>, string]>([
    ["the address is none", { url: "receiver.example" }, "Render"],
    ["the address becomes none", { url: "{{ event }}://receiver.example" }, "Render"],
    ["a header line is none", { headers: "{{ event }}" }, "Render"],
    ["a header has a character that HTTP cannot carry", { headers: "X-A: {{ event }} \u2603" }, "Render"],
    ["an address is longer than 8,192 characters", { url: "http://{{ '\t' * 8192 }}receiver.example" }, "Render"],
    ["the headers are longer than 65,536 characters", { headers: "X-A: b\n{{ ' ' * 65530 }}" }, "Render"],
    ["a header is longer than 8,192 characters", { headers: "X-A: {{ 'b' * 8193 }}" }, "Render"],
    ["a header belongs to the connection", { headers: "{{ 'Content-Length' }}: 5" }, "Render"],
    ["a template is broken", { bodyTemplate: "{{ event " }, "Render"],
    ["a template fails", { bodyTemplate: "{{ nothing.here() }}" }, "Render"]
  ])("is not made when %s", (_, webhook, reason) => {
    const result = build(webhook)
    expect(Result.isFailure(result)).toBe(true)
    expect(result).toMatchObject({ failure: { reason, message: expect.stringMatching(/./) as string } })
  })

  test("carries header text that is sound as HTTP takes it", () => {
    const character = fc.oneof(
      fc.constantFrom(..." :\t\r\n\0é\u2603\u{1f600}"),
      fc.string({ minLength: 1, maxLength: 1 })
    )
    const line = fc
      .tuple(fc.stringMatching(/^[A-Za-z-]{1,8}$/), fc.string({ unit: character }))
      .map((pair) => pair.join(":"))
    fc.assert(
      fc.property(fc.oneof(line, fc.string({ unit: character })), (text) => {
        if (isTemplate(text) || headersProblem(text) !== undefined) return
        const headers = new Headers()
        for (const [name, value] of Object.entries(built({ headers: text }).headers)) headers.set(name, value)
        expect([...headers].length).toBeGreaterThanOrEqual(4)
      }),
      { numRuns: runs(1000) }
    )
  })
})

import type { HttpServerRequest } from "effect/http"
import { describe, expect, it } from "vitest"
import { headersOf } from "../../src/http/Respond.ts"

const incoming = { url: "/dcim/sites/import/", headers: {} } as HttpServerRequest.HttpServerRequest
const sending = { incoming, requestId: "r", secure: false }

describe("an answer with 503", () => {
  it("says when to try again, also as a page", () => {
    const page = { status: 503, text: { type: "text/html", content: "" } }
    expect(headersOf(page, sending)["retry-after"]).toBe("5")
    expect(headersOf({ ...page, headers: { "retry-after": "15" } }, sending)["retry-after"]).toBe("15")
    expect(headersOf({ ...page, status: 400 }, sending)["retry-after"]).toBeUndefined()
  })
})

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { headerSecrets } from "../../../../src/inventory/field/hidden/HeaderSecrets.ts"
import { runs } from "../../../support/Seed.ts"

describe("header text", () => {
  it.each([
    ["Authorization: Bearer abc", "Authorization: ***"],
    ["proxy-authorization:Basic eA==", "proxy-authorization:***"],
    ["X-Api-Key:  abc \r\nX-Plain: b", "X-Api-Key:  *** \r\nX-Plain: b"],
    ["Cookie: a=b; c=d", "Cookie: ***"],
    ["X-Gitlab-Token: {{ data.custom_fields.token }}", "X-Gitlab-Token: ***"],
    ["Authorization: Bearer {{ 'abc' }}", "Authorization: ***"],
    ["X-Custom: Bearer abc", "X-Custom: ***"],
    [
      "X-Client-Secret: a:b\nX-Password: x\nX-Session-Id: y",
      "X-Client-Secret: ***\nX-Password: ***\nX-Session-Id: ***"
    ],
    ["X-Site: {{ data.name }}\nX-Author: me\nIdempotency-Key: {{ request_id }}", undefined],
    ["X-Token:\nX-Stars: ***", undefined],
    ["{% if data.name %}X-Site: {{ data.name }}{% endif %}", undefined],
    ["{% if data.name %}Authorization: Bearer abc{% endif %}", "***"],
    ["{% set token = 'abc' %}\nX: {{ token }}", "***"],
    ["Authorization: Bearer {{\n'abc' }}", "***"],
    ["{{ 'Authorization' }}: Bearer abc", "***"],
    ["X: {{ 1 }}\n{{ 'X-Other: ' }}\nX-Custom: Basic abc", "***"]
  ])("%j is shown as %j, and put together again to the letter", (text, shown = text) => {
    const split = headerSecrets.hide(text)
    expect(split.shown).toBe(shown)
    expect(headerSecrets.hide(split.shown)).toEqual({ shown, hidden: [] })
    expect(headerSecrets.reveal(split.shown, split.hidden)).toEqual({ text })
  })

  it("of any lines is restored exactly", () => {
    const name = fc.constantFrom("X-Token", "x-token", "X-Plain", "Authorization", "X", "")
    const value = fc.string({ unit: fc.constantFrom(..."ab *:{}%'\r \t") })
    const line = fc.tuple(name, fc.constantFrom(":", ": ", ""), value).map((parts) => parts.join(""))
    const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"))
    fc.assert(
      fc.property(
        text.filter((each) => !/\*\*\*/.test(each)),
        (each) => {
          const { shown, hidden } = headerSecrets.hide(each)
          expect(headerSecrets.reveal(shown, hidden)).toEqual({ text: each })
          expect(headerSecrets.hide(shown).shown).toBe(shown)
        }
      ),
      { numRuns: runs(2000) }
    )
  })

  it("gets stored values by the names of their headers in any order, and names a missing one", () => {
    const { hidden } = headerSecrets.hide("X-Token: one\nX-Token: two\nCookie: three")
    expect(headerSecrets.reveal("Cookie: ***\nX-New: a\nx-token: ***", hidden)).toEqual({
      text: "Cookie: three\nX-New: a\nx-token: one"
    })
    expect(headerSecrets.reveal("Cookie: ***\nCookie: ***", hidden)).toEqual({ missing: "Cookie" })
    expect(headerSecrets.reveal("***", hidden)).toEqual({ missing: "" })
    expect(headerSecrets.reveal("X-Stars: ***", hidden)).toEqual({ text: "X-Stars: ***" })
  })
})

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { userInformation } from "../../../../src/inventory/field/hidden/UserInformation.ts"
import { runs } from "../../../support/Seed.ts"

const { hide, reveal } = userInformation

describe("user information in an address", () => {
  it.each([
    ["https://user:pass@host/x?a=b@c", "https://***@host/x?a=b@c"],
    ["  HTTPS://token@host", "  HTTPS://***@host"],
    ["https://a@b:c@host/", "https://***@host/"],
    ["https://user:pa ss@host/", "https://***@host/"],
    ["http:\\\\user:pass@host\\", "http:\\\\***@host\\"],
    ["http://\t\\user:pass@host", "http://\t\\***@host"],
    ["https://user:{{ data.a / 2 }}@{{ data.host }}/", "https://***@{{ data.host }}/"],
    ["https://{{ data.user }}:p@host/{{ '@' }}", "https://***@host/{{ '@' }}"],
    ["https://{{ 'user:pass@' }}host/", "***"],
    ["https://{% if true %}u:p@{% endif %}host/", "***"],
    ["{{ scheme }}://user:pass@host/", "***"],
    ["}} {{ 'https://user:pass@host/'", "***"],
    ["ht\ntp://user:pass@host/", "***"],
    ["https://}}@https://{{", "***"]
  ])("is hidden, and put back to the letter: %j", (text, shown) => {
    const split = hide(text)
    expect(split.shown).toBe(shown)
    expect(split.hidden).toHaveLength(1)
    expect(hide(split.shown)).toEqual({ shown, hidden: [] })
    expect(reveal(split.shown, split.hidden)).toEqual({ text })
  })

  it.each(["https://host/", "https://host/a@b", "https://host?a@b", "https://host#@", "https://{{ data.host }}/", ""])(
    "is not seen in %j",
    (text) => {
      expect(hide(text)).toEqual({ shown: text, hidden: [] })
      expect(reveal(text, [["user information", "user:pass"]])).toEqual({ text })
    }
  )

  it("goes to another host if a client says so, and is asked for where none is kept", () => {
    const { hidden } = hide("https://user:pass@host/")
    expect(reveal("https://***@other/x", hidden)).toEqual({ text: "https://user:pass@other/x" })
    expect(reveal("https://***@other/x", [])).toEqual({ missing: "user information" })
    expect(reveal("***", hidden)).toEqual({ missing: "" })
    expect(reveal("https://***@other/x", hide("{% x %}@").hidden)).toEqual({ missing: "user information" })
  })

  it("is hidden in every text in the form of one, in linear time", () => {
    const part = fc.constantFrom("https://", "u", ":", "p", "@", "h", "/", "?", "#", "\\", "{{", "}}", "{%", "***", " ")
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
        const text = parts.join("")
        const { shown, hidden } = hide(text)
        expect(hide(shown)).toEqual({ shown, hidden: [] })
        expect(hidden.length > 0 ? reveal(shown, hidden) : { text: shown }).toEqual({ text })
        const url = URL.parse(shown)
        const isAddress = url !== null && /^https?:$/.test(url.protocol)
        expect(isAddress ? decodeURIComponent(url.username).replace("***", "").trim() + url.password : "").toBe("")
      }),
      { numRuns: runs(3000) }
    )
    expect(hide(`https://${"{{ a }}".repeat(200_000)}@`).shown).toBe("https://***@")
  })
})

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { destinationOf } from "../../../../src/inventory/field/hidden/Destination.ts"
import { runs } from "../../../support/Seed.ts"

const of = (address: string, engine = "jinja") => destinationOf(address, engine)

describe("the destination of an address", () => {
  it.each([
    ["https://host/a", "https://host/b?c#d"],
    ["https://host", "https://host/"],
    ["https://user:pass@host/", "https://***@host/x"],
    ["https://host/{{ data.a }}", "https://HOST/"],
    ["https://{{ data.host }}/a", "https://{{ data.host }}/b"]
  ])("is the same of %s and %s", (one, other) => {
    expect(of(one)).toBe(of(other))
  })

  it.each([
    ["https://host/", "http://host/"],
    ["https://host/", "https://host:444/"],
    ["https://host/", "https://host.example/"],
    ["https://host/", "https://host{{ data.a }}/"],
    ["https://host/", "https://user@host@other/"],
    ["https://host/", "https://host/{% if a %}{% endif %}"],
    ["https://{{ a }}/", "https://{{ b }}/"]
  ])("is not the same of %s and %s", (one, other) => {
    expect(of(one)).not.toBe(of(other))
  })

  it("differs between engines where a template makes it, and is the whole text in one that is not known", () => {
    expect(of("https://{{ a }}/")).not.toBe(of("https://{{ a }}/", "liquid"))
    expect(of("https://host/a")).toBe(of("https://host/b", "liquid"))
    expect(of("https://host/a", "mine")).not.toBe(of("https://host/b", "mine"))
  })

  it("of addresses without templates is the same only if a request goes to the same origin", () => {
    const part = fc.constantFrom(
      "https://",
      "http:",
      "//",
      "u",
      ":",
      "80",
      "@",
      "h",
      "H",
      ".",
      "/",
      "?",
      "#",
      "\\",
      " ",
      "\t"
    )
    const address = fc.array(part, { maxLength: 8 }).map((parts) => `http://h${parts.join("")}`)
    fc.assert(
      fc.property(address, address, (one, other) => {
        const [a, b] = [URL.parse(one), URL.parse(other)]
        if (a === null || b === null || of(one) !== of(other)) return
        expect([one, other, a.origin]).toEqual([one, other, b.origin])
      }),
      { numRuns: runs(3000) }
    )
  })
})

import { isIPv6 } from "node:net"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { contains, parseAddress, parseRange } from "../../src/inventory/Address.ts"
import {
  type TargetRules,
  literalIn,
  policies,
  readRules,
  refusal,
  urlRefusal
} from "../../src/transport/TargetPolicy.ts"
import { closed, inside, names, open, unreadable } from "./targets.ts"

const rules = (fields: { policy?: TargetRules["policy"]; allow?: Array<string>; deny?: Array<string> }) =>
  readRules(fields.policy ?? "private", fields.allow ?? [], fields.deny ?? []) as TargetRules

const refusalIn = (url: string, policy: TargetRules["policy"]) =>
  refusal(rules({ policy }), literalIn(new URL(url).hostname) ?? "a name")

describe("a target", () => {
  test.each(closed)("is refused by both policies: %j", (url) => {
    for (const policy of policies) expect(refusalIn(url, policy)).toMatch(/^(it is an? .* address|the address inside)/)
  })

  test.each(inside)("is refused by `public` alone: %j", (url) => {
    expect(refusalIn(url, "public")).toBeDefined()
    expect(refusalIn(url, "private")).toBeUndefined()
  })

  test.each(open)("is allowed by both policies: %j", (url) => {
    for (const policy of policies) expect(refusalIn(url, policy)).toBeUndefined()
  })

  test.each(names)("is a name: %j", (url) => {
    expect(literalIn(new URL(url).hostname)).toBeUndefined()
  })

  test.each(unreadable)("is no URL: %j", (url) => {
    expect(URL.canParse(url)).toBe(false)
  })

  test("is one of 150 and more", () => {
    expect(new Set([...closed, ...inside, ...open, ...names, ...unreadable]).size).toBeGreaterThanOrEqual(150)
  })
})

const quad = fc.ipV4().filter((text) => parseAddress(text) !== undefined)

/** An IPv4 address as two groups of an IPv6 one. */
const groups = (text: string): string => {
  const [a, b, c, d] = text.split(".").map(Number) as [number, number, number, number]
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

describe("an IPv4 address", () => {
  test("is the same number in its mapped spellings", () => {
    fc.assert(
      fc.property(quad, (text) => {
        expect(parseAddress(`::ffff:${text}`)).toBe(parseAddress(text))
        expect(parseAddress(`0:0:0:0:0:FFFF:${groups(text)}`)).toBe(parseAddress(text))
      })
    )
  })

  test("that is refused is refused inside any IPv6 address that carries it", () => {
    fc.assert(
      fc.property(quad, fc.constantFrom(...policies), (text, policy) => {
        if (refusal(rules({ policy }), text) === undefined) return
        const carriers = [`::${text}`, `::ffff:0:${text}`, `64:ff9b::${text}`, `2002:${groups(text)}::1`]
        const more = [`2001:0:${groups(text)}::808:808`, `2a00:1:2:3:0:5efe:${text}`, `2a00:1:2:3:200:5efe:${text}`]
        for (const carrier of [...carriers, ...more]) expect(refusal(rules({ policy }), carrier)).toBeDefined()
      })
    )
  })
})

describe("an IPv6 address", () => {
  test("is read as every spelling of it that there is", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const address = parseAddress(text)
        expect(address !== undefined).toBe(isIPv6(text))
        if (address === undefined) return
        expect(parseAddress(new URL(`http://[${text}]/`).hostname.slice(1, -1))).toBe(address)
        expect(parseAddress(`${text}%eth0`)).toBe(address)
      })
    )
  })

  test.each([
    "",
    ":",
    ":::",
    "1::2::3",
    "::12345",
    "::g",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1.2.3.4::",
    "::1.2.3"
  ])("is not %j", (text) => {
    expect(parseAddress(text)).toBeUndefined()
    expect(isIPv6(text)).toBe(false)
  })
})

describe("ranges", () => {
  test("hold their first and last address and not their neighbours", () => {
    const range = parseRange("10.20.0.0/15")!
    const held = ["10.19.255.255", "10.20.0.0", "10.21.255.255", "10.22.0.0"].map((text) =>
      contains(range, parseAddress(text)!)
    )
    expect(held).toEqual([false, true, true, false])
  })

  test.each(["10.0.0.0/33", "10.0.0/8", "::/129", "example.com", "10.0.0.0/8/8", "10.0.0.0/-1", "fe80::1%eth0", ""])(
    "that cannot be read are told: %j",
    (text) => {
      expect(readRules("private", [], [text])).toContain("is not an address")
    }
  )

  test("that are denied win over those that are allowed, and both over the policy", () => {
    const lists = { allow: ["169.254.169.254", "10.0.0.0/8"], deny: ["10.1.0.0/16", "8.8.8.0/24"] }
    const each = (policy: TargetRules["policy"]) => (text: string) => refusal(rules({ policy, ...lists }), text)
    for (const policy of policies) {
      const allowed = ["169.254.169.254", "10.2.0.1", "::ffff:10.2.0.1", "64:ff9b::10.2.0.1"].map(each(policy))
      expect(allowed).toEqual([undefined, undefined, undefined, undefined])
      for (const text of ["10.1.0.1", "8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::"]) {
        expect(each(policy)(text)).toContain("WEBHOOK_DENY names it")
      }
    }
  })
})

describe("a URL", () => {
  test("is refused by name of its address, and with a name as its host not yet", () => {
    const each = (url: string) => urlRefusal(rules({}), url)
    expect(each("http://0xa9fea9fe/")).toBe(
      "169.254.169.254 is refused by the target policy: it is a metadata service address."
    )
    expect(each("https://[::ffff:224.0.0.1]/")).toContain("it is a multicast address")
    expect(["http://localhost:9000/", "http://metadata.google.internal/"].map(each)).toEqual([undefined, undefined])
  })
})

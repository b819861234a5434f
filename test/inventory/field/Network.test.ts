import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { date } from "../../../src/inventory/field/Calendar.ts"
import { integers } from "../../../src/inventory/field/List.ts"
import { address, baseOf, lastOf, mac, parseNetwork, prefix, wwn } from "../../../src/inventory/field/Network.ts"
import { canonical } from "../Rows.ts"

const isNull = { errors: ["This field may not be null."] }

describe("an address", () => {
  test.each([
    ["10.0.0.1", "10.0.0.1/32"],
    [" 10.0.0.1/24 ", "10.0.0.1/24"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1/128"],
    ["1:0:0:2:0:0:0:3/64", "1:0:0:2::3/64"],
    ["::ffff:1.2.3.4/128", "::ffff:1.2.3.4/128"],
    ["::", "::/128"]
  ])("is read from %j as %j", (input, value) => {
    expect(address().parse(input)).toEqual({ value })
  })

  test.each([
    [""],
    ["10.0.0.256"],
    ["10.0.0.1/33"],
    ["::/129"],
    ["1:2"],
    ["host"],
    ["fe80::1%eth0"],
    ["10.0.0.1/"],
    ["1.2.3.4/a"]
  ])("is not read from %j", (input) => {
    expect(address().parse(input)).toEqual({ errors: [`Invalid IP address format: ${input}`] })
  })

  test("is no number, list or object, and null only if it is optional", () => {
    expect(address().parse(5)).toEqual({ errors: ["Invalid IP address format: 5"] })
    expect(address().parse(["10.0.0.1"])).toEqual({ errors: ['Invalid IP address format: ["10.0.0.1"]'] })
    expect([address().parse(null), address({ optional: true }).parse(null)]).toEqual([isNull, { value: null }])
  })

  test("lies between the first and the last one of its network", () => {
    fc.assert(
      fc.property(canonical(address()), (text) => {
        const network = parseNetwork(String(text))!
        expect(baseOf(network) <= network.bits && network.bits <= lastOf(network)).toBe(true)
        expect(address().parse(text)).toEqual({ value: text })
      })
    )
  })
})

describe("a prefix", () => {
  test("has no host bits", () => {
    expect(prefix().parse("10.0.0.0/8")).toEqual({ value: "10.0.0.0/8" })
    expect(prefix().parse("10.0.0.1/8")).toEqual({
      errors: ["10.0.0.1/8 is not a valid prefix. Did you mean 10.0.0.0/8?"]
    })
  })
})

describe("a MAC address", () => {
  test.each([["aa:bb:cc:dd:ee:0f"], ["AA-BB-CC-DD-EE-0F"], ["aabb.ccdd.ee0f"], ["aabbccddee0f"]])(
    "is parsed from %j, and shown in upper case",
    (input) => {
      expect(mac().parse(input)).toEqual({ value: "AA:BB:CC:DD:EE:0F" })
    }
  )

  test("has six octets, a world wide name eight", () => {
    const wrong = { errors: ["Invalid MAC address format."] }
    for (const input of ["aa:bb", "zz:bb:cc:dd:ee:ff", "", 5, [], "aa:bb:cc:dd:ee:ff:00:11"]) {
      expect(mac().parse(input)).toEqual(wrong)
    }
    expect(wwn().parse("aa:bb:cc:dd:ee:ff:00:11")).toEqual({ value: "AA:BB:CC:DD:EE:FF:00:11" })
    expect(mac({ optional: true }).parse("")).toEqual({ value: null })
  })
})

describe("a date", () => {
  test.each([["2026-11-20"], ["2024-02-29"], ["0001-01-01"], ["9999-12-31"]])("is %j", (value) => {
    expect(date().parse(value)).toEqual({ value })
  })

  test.each([
    ["2026-02-29"],
    ["0000-01-01"],
    ["2026-1-1"],
    ["20.11.2026"],
    ["2026-11-20T10:00"],
    [20261120],
    [[]],
    [""]
  ])("is not %j", (input) => {
    expect(date().parse(input)).toEqual({
      errors: ["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]
    })
  })
})

describe("a list of numbers", () => {
  const ports = integers({ min: 1, max: 65_535 })

  test("has each number once, in order", () => {
    expect(ports.parse([443, "80", 443])).toEqual({ value: [80, 443] })
  })

  test("is refused if it is empty, not a list, or contains a value out of range", () => {
    expect(ports.parse([])).toEqual({ errors: ["This list may not be empty."] })
    expect(ports.parse("80")).toEqual({ errors: ['Expected a list of items but got type "str".'] })
    expect(ports.parse([0, "x", "y"])).toEqual({
      errors: {
        0: ["Ensure this value is greater than or equal to 1."],
        1: ["A valid integer is required."],
        2: ["A valid integer is required."]
      }
    })
  })
})

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type PageBounds, pageBounds, pageLinks } from "../../src/http/wire/Paging.ts"

const sizes = { usual: 50, max: 1000 }
const address = new URL("https://inventory.example/api/dcim/sites/")

const asked = (query: string, of = sizes): PageBounds => pageBounds(new URLSearchParams(query), of)

/** The page that a link leads to. */
const follow = (link: string, of = sizes): PageBounds => pageBounds(new URL(link).searchParams, of)

describe("the bounds of a page", () => {
  test.each([
    ["", 50, 0],
    ["limit=10", 10, 0],
    ["limit=10&offset=20", 10, 20],
    ["offset=20", 50, 20],
    ["limit=0", 1000, 0],
    ["limit=1000", 1000, 0],
    ["limit=1001", 1000, 0],
    ["limit=999999999999999", 1000, 0],
    ["limit=5&limit=7", 7, 0]
  ])("are what %j asks for", (query, limit, offset) => {
    expect(asked(query)).toEqual({ limit, offset })
  })

  test("are unlimited when everything is requested and allowed", () => {
    expect(asked("limit=0", { usual: 50, max: 0 })).toEqual({ limit: undefined, offset: 0 })
    expect(asked("limit=5000", { usual: 50, max: 0 })).toEqual({ limit: 5000, offset: 0 })
    expect(asked("", { usual: 0, max: 0 })).toEqual({ limit: undefined, offset: 0 })
  })

  test("treat invalid numbers as absent", () => {
    const nonsense = fc.oneof(
      fc.string().filter((text) => !/^\d+$/.test(text)),
      fc.constantFrom("", "-1", "1.5", "1e3", "0x10", "+5", " 5", "5 ", "NaN", "null", "١"),
      fc.bigInt({ min: 10n ** 15n }).map(String)
    )
    fc.assert(
      fc.property(nonsense, nonsense, (limit, offset) => {
        const query = new URLSearchParams({ limit, offset })
        expect(pageBounds(query, sizes)).toEqual({ limit: 50, offset: 0 })
      })
    )
  })

  test("never exceed the maximum, whatever the request and the default say", () => {
    const query = fc.record({ limit: fc.string(), offset: fc.string() }).map((each) => new URLSearchParams(each))
    const numeric = fc.record({ limit: fc.nat().map(String) }).map((each) => new URLSearchParams(each))
    fc.assert(
      fc.property(fc.oneof(query, numeric), fc.nat(100), fc.integer({ min: 1, max: 100 }), (query, usual, max) => {
        const { limit, offset } = pageBounds(query, { usual, max })
        expect(limit).toBeGreaterThan(0)
        expect(limit).toBeLessThanOrEqual(max)
        expect(offset).toBeGreaterThanOrEqual(0)
      })
    )
  })
})

describe("the links of a page", () => {
  const list = fc.record({
    count: fc.nat(300),
    limit: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
    max: fc.integer({ min: 0, max: 40 }),
    usual: fc.integer({ min: 1, max: 20 })
  })

  test("lead by next from the first page over every object once, and end", () => {
    fc.assert(
      fc.property(list, ({ count, limit, max, usual }) => {
        const of = { usual, max }
        const seen: Array<number> = []
        let link: string | null = limit === undefined ? address.href : `${address.href}?limit=${limit}`
        while (link !== null) {
          const bounds = follow(link, of)
          const end = Math.min(bounds.offset + (bounds.limit ?? count), count)
          for (let at = bounds.offset; at < end; at++) seen.push(at)
          link = pageLinks(new URL(link), bounds, count).next
          if (seen.length > count) break
        }
        expect(seen).toEqual(Array.from({ length: count }, (_, at) => at))
      })
    )
  })

  test("lead by previous back to the first page, which has none", () => {
    fc.assert(
      fc.property(fc.nat(300), fc.integer({ min: 1, max: 40 }), fc.nat(400), (count, limit, offset) => {
        let bounds: PageBounds = { limit, offset }
        let link = pageLinks(address, bounds, count).previous
        while (link !== null) {
          const before = follow(link)
          expect(before).toEqual({ limit, offset: Math.max(bounds.offset - limit, 0) })
          bounds = before
          link = pageLinks(address, bounds, count).previous
        }
        expect(bounds.offset).toBe(0)
      })
    )
  })

  test("from the second page to the first drop the offset, also from a page that begins within the first", () => {
    for (const offset of [1, 4, 5]) {
      expect(pageLinks(new URL(`${address.href}?limit=5&offset=${offset}`), { limit: 5, offset }, 20).previous).toBe(
        "https://inventory.example/api/dcim/sites/?limit=5"
      )
    }
  })

  test("are null on the only page and on an unlimited page", () => {
    expect(pageLinks(address, { limit: 50, offset: 0 }, 50)).toEqual({ next: null, previous: null })
    expect(pageLinks(address, { limit: 50, offset: 0 }, 0)).toEqual({ next: null, previous: null })
    expect(pageLinks(address, { limit: undefined, offset: 0 }, 500)).toEqual({ next: null, previous: null })
  })

  test("lead back from beyond the end", () => {
    const { next, previous } = pageLinks(address, { limit: 10, offset: 100 }, 15)
    expect(next).toBeNull()
    expect(previous).toBe("https://inventory.example/api/dcim/sites/?limit=10&offset=90")
  })

  test("keep all other parameters, in their order, repeated ones too", () => {
    const others = fc.array(
      fc.tuple(
        fc.string().filter((name) => name !== "limit" && name !== "offset"),
        fc.string()
      )
    )
    fc.assert(
      fc.property(others, (others) => {
        const page = new URL(address)
        page.search = new URLSearchParams([...others, ["limit", "10"], ["offset", "10"]]).toString()
        const links = pageLinks(page, { limit: 10, offset: 10 }, 100)
        for (const link of [links.next, links.previous]) {
          const kept = [...new URL(link!).searchParams].filter(([name]) => name !== "limit" && name !== "offset")
          expect(kept).toEqual(others)
        }
        expect(page.searchParams.get("offset")).toBe("10")
      })
    )
  })
})

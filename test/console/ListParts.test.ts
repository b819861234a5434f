import { describe, expect, it } from "vitest"
import { cellValue } from "../../src/console/list/Cell.ts"
import { valueOf } from "../../src/console/value/Value.ts"
import { choiceOf, chosenColumns } from "../../src/console/list/ChosenColumns.ts"
import { filterTitle, filterValue } from "../../src/console/filter/FilterName.ts"
import { askedFilter } from "../../src/console/filter/Filters.ts"
import { pageNumbers } from "../../src/console/list/Pager.ts"
import { objectType } from "../../src/inventory/Registry.ts"

describe("the cell of a list", () => {
  it("shows the beginning of a long text or of long JSON", () => {
    expect(cellValue("x".repeat(201)).text).toBe(`${"x".repeat(200)}…`)
    expect(cellValue("x".repeat(200)).text).toBe("x".repeat(200))
    const { text } = cellValue({ list: Array.from({ length: 1000 }, (_, at) => ({ at })) })
    expect(text).toMatch(/^<code>\{&quot;list&quot;: \[\{&quot;at&quot;: 0\}, .*…<\/code>$/s)
    expect(text.replaceAll("&quot;", '"')).toHaveLength(200 + "<code>…</code>".length)
  })

  it("shows short values as the page of an object does", () => {
    expect(cellValue({ value: "active", label: "Active" }).text).toContain("Active")
    expect(cellValue({ url: "http://h/api/dcim/sites/3/", display: "Oslo" }).text).toContain('href="/dcim/sites/3/"')
    expect(cellValue(["a", "b"]).text).toBe("a, b")
    expect(cellValue({}).text).toContain("—")
    expect(cellValue({ a: null, b: "<" }).text).toBe(
      "<code>{&quot;a&quot;: null, &quot;b&quot;: &quot;&lt;&quot;}</code>"
    )
  })

  it.each([
    ["a script", "javascript:alert(1)"],
    ["another host", "https://elsewhere.example/"],
    ["another host by the scheme of the page", "//elsewhere.example/api/dcim/sites/3/"],
    ["another host behind the path of the API", "https://h/api//elsewhere.example/3/"],
    ["a path upwards", "https://h/api/../3/"],
    ["a megabyte", `https://h${"/api".repeat(250_000)}/`]
  ])("makes no link of JSON that looks like a reference to %s", (_, url) => {
    for (const shown of [cellValue({ url, display: "Oslo" }), valueOf({ url, display: "Oslo" })])
      expect(shown.text).not.toContain("<a")
  })

  it("reads no more of a large value than it shows", () => {
    let reads = 0
    const rows = new Proxy(
      Array.from({ length: 1_000_000 }, () => ["x"]),
      {
        get: (list, name) => {
          reads++
          return Reflect.get(list, name) as unknown
        }
      }
    )
    expect(cellValue({ rows }).text.length).toBeLessThan(1000)
    expect(reads).toBeLessThan(500)
  })
})

describe("the cookie of chosen columns", () => {
  const served = { isSecure: false } as Parameters<typeof choiceOf>[3]
  const choose = (cookies: Readonly<Record<string, string>>, id: string, columns: ReadonlyArray<string>) => ({
    columns: choiceOf(cookies, id, columns, served).value ?? ""
  })

  it("holds a choice for each type, the newest first, until it would be too long", () => {
    let cookies = choose({}, "dcim.site", ["status", "region"])
    cookies = choose(cookies, "dcim.device", ["role"])
    expect(chosenColumns(cookies, "dcim.site")).toEqual(["status", "region"])
    cookies = choose(cookies, "dcim.site", ["name"])
    expect(cookies.columns).toBe("dcim.site:name~dcim.device:role")
    for (let at = 0; at < 100; at++) cookies = choose(cookies, `dcim.type${at}`, ["a_column_with_a_name", "another"])
    expect(cookies.columns.length).toBeLessThanOrEqual(3000)
    expect(chosenColumns(cookies, "dcim.type99")).toEqual(["a_column_with_a_name", "another"])
    expect(chosenColumns(cookies, "dcim.site")).toEqual([])
  })

  it("is deleted with the last choice, and nothing is read from a cookie that somebody made up", () => {
    expect(choiceOf({ columns: "dcim.site:name" }, "dcim.site", [], served).value).toBeUndefined()
    for (const columns of ["", "~", ":", "dcim.site", "dcim.site:", "__proto__:x"]) {
      expect(chosenColumns({ columns }, "dcim.site")).toEqual([])
    }
  })
})

describe("the numbers of pages", () => {
  it("are the first, the last and those near, with a gap between that hides two or more", () => {
    expect(pageNumbers(1, 1)).toEqual([1])
    expect(pageNumbers(3, 6)).toEqual([1, 2, 3, 4, 5, 6])
    expect(pageNumbers(5, 80)).toEqual([1, 2, 3, 4, 5, 6, 7, 0, 80])
    expect(pageNumbers(40, 80)).toEqual([1, 0, 38, 39, 40, 41, 42, 0, 80])
    expect(pageNumbers(80, 80)).toEqual([1, 0, 78, 79, 80])
  })
})

describe("a filter", () => {
  const site = objectType("dcim.site")

  it("has a title and a value that people read", () => {
    expect([
      filterTitle("name__ic"),
      filterTitle("q"),
      filterTitle("cf_rack_unit__gte"),
      filterTitle("vrf_id")
    ]).toEqual(["Name contains", "Search", "Rack unit at least", "VRF ID"])
    expect([filterValue(site, "status", "active"), filterValue(site, "status__n", "active")]).toEqual([
      "Active",
      "Active"
    ])
    expect([filterValue(site, "status", "constructor"), filterValue(site, "x", "y".repeat(70))]).toEqual([
      "constructor",
      `${"y".repeat(60)}…`
    ])
  })

  it("of any field, lookup and value takes the place of the row that asked for it", () => {
    const asked = (query: string) => askedFilter(new URLSearchParams(query))?.toString()
    expect(asked("status=active&_field=name&_lookup=ic&_value=osl")).toBe("status=active&name__ic=osl")
    expect(asked("_field=name&_lookup=&_value=Oslo")).toBe("name=Oslo")
    expect(asked("q=x&_field=&_lookup=&_value=")).toBe("q=x")
    expect(asked("q=x")).toBeUndefined()
  })
})

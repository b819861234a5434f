import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"
import { Context } from "../../src/template/Context.ts"
import { type NunjucksCollection, fromNunjucks } from "../../src/template/plugin/Plugin.ts"
import { Renderer } from "../../src/template/Renderer.ts"
import { outcome, shipped } from "./Installed.ts"
import { details } from "./nunjucks/details.ts"
import { context, written } from "./nunjucks/templates.ts"

interface Package {
  readonly Environment: new (
    loaders: ReadonlyArray<unknown>,
    options: object
  ) => {
    readonly renderString: (source: string, context: object) => string
  }
}

const load = createRequire(import.meta.url)
const stock = new (load("nunjucks") as Package).Environment([], { autoescape: false })

const render = (source: string, context: unknown = {}, headers = false) =>
  outcome(source, context, { engine: "nunjucks", headers })

/** As the package renders it; undefined where it throws. */
const stockOutput = (source: string): string | undefined => {
  try {
    return stock.renderString(source, structuredClone(context))
  } catch {
    return undefined
  }
}

describe("Nunjucks as an engine", () => {
  it.each(written.map(({ name, source, output }) => [name, source, output] as const))(
    "renders templates as the package does: %s",
    (_name, source, output) => {
      expect(render(source, context)).toBe(output)
      expect(stock.renderString(source, structuredClone(context))).toBe(output)
    }
  )

  it.each(details)("renders or refuses as the package does: %s", (source) => {
    const rendered = render(source, context)
    expect(typeof rendered === "string" ? rendered : undefined).toBe(stockOutput(source))
  })

  it("calls the filters of LiquidJS and of other plugins", () => {
    const source = `{{ data.name | slugify }} {{ data.interfaces | liquid.map("speed") | liquid.sum }} {{ data.site.name | remove("dam") | append("!") }} {{ data.comments | normalize_whitespace | strip_html }} {{ data.tags | where("slug", "lab") | liquid.map("name") | first }} {{ data.name is match("sw") }} {{ "SW" | regex_replace("s", "x", ignorecase=true) }}`
    expect(render(source, context)).toBe('sw-1-ams 12000 Amster! first line second "line" Lab true xW')
  })

  it("prefers Nunjucks' own filters, and calls the others by the name of their plugin", () => {
    expect(render("{{ [10, 9] | sort }} {{ [10, 9] | liquid.sort }} {{ 'a b' | title }}")).toBe("9,10 9,10 A B")
    expect(render("{{ none | default('x') }}|{{ none | liquid.default('x') }}")).toBe("|x")
  })

  it("escapes nothing by itself", () => {
    expect(render("{{ x }} {{ x | escape }} {{ x | escape | escape }}", { x: "<&" })).toBe("<& &lt;&amp; &lt;&amp;")
  })

  it.each([
    ["a\n{% if %}", 2, 7],
    ["a\n  {{ 1 | nosuch }}", 2, 10],
    ["a\n{{ x is nosuch }}", 2, 9],
    ["{{ a(", 1, 6],
    ["a\n{% for x in xs %}b", 2, 19],
    ["{# a", 1, 1],
    ["{{ {1: 2} }}", 1, 5],
    ["{{ () }}", 1, 4],
    ["{% for loop in xs %}{% endfor %}", 1, 8],
    ["{% set a.b = 1 %}", 1, 9]
  ])("tells the place of what cannot be parsed: %s", (source, line, column) => {
    expect(render(source)).toMatchObject({ reason: "Syntax", line, column })
  })

  it.each([
    ["\n{{ nope() }}", "Undefined", 2, 8],
    ["\n {{ 'a' | upper | first | abs }}{{ 5 | upper }}", "Type", 2, 40],
    ["{{ 1 in 5 }}", "Type", 1, 4],
    ["{{ 'x' | regex_search('[') }}", "Plugin", 1, 10],
    ["{% macro m() %}{{ nope.x() }}{% endmacro %}\n{{ m() }}", "Undefined", 1, 25],
    ["{{ 'x' | replace(r/(?=x)/, '') }}", "Value", 1, 10]
  ])("tells the place of what fails: %s", (source, reason, line, column) => {
    expect(render(source)).toMatchObject({ reason, line, column })
  })

  it.each([
    ["include 'x'", "a template cannot load another one"],
    ["import 'x' as y", "a template cannot load another one"],
    ["from 'x' import y", "a template cannot load another one"],
    ["extends 'x'", "a template cannot load another one"],
    ["block x", "so there is nothing that blocks could replace"],
    ["asyncEach x in xs", "rendered synchronously; use {% for %}"],
    ["asyncAll x in xs", "rendered synchronously; use {% for %}"],
    ["ifAsync x", "rendered synchronously; use {% if %}"]
  ])("refuses {% %s %} with a sentence and the place", (tag, sentence) => {
    expect(render(`a\n {% ${tag} %}{% endblock %}`)).toMatchObject({
      reason: "Syntax",
      message: expect.stringContaining(sentence) as string,
      line: 2,
      column: 5
    })
  })

  it.each([
    ["{{ x }}"],
    ["{{ x | safe }}"],
    ["{% set y %}{{ x }}{% endset %}{{ y }}"],
    ["{% macro m() %}{{ x }}{% endmacro %}{{ m() }}"],
    ["{{ [x] }}"]
  ])("lets no value begin a header: %s", (source) => {
    expect(render(`X-A: ${source}`, { x: "1\r\nX-B: 2" }, true)).toMatchObject({ reason: "Value" })
    expect(render(`X-A: ${source}\nX-B: 2`, { x: "1" }, true)).toBe("X-A: 1\nX-B: 2")
  })

  it("makes the same random choice for the same event", () => {
    const source = "{{ xs | random }}{{ xs | random }}{{ xs | random }}"
    const xs = Array.from({ length: 1000 }, (_, at) => at)
    expect(render(source, { xs })).toBe(render(source, { xs }))
    expect(render(source, { xs, other: 1 })).not.toBe(render(source, { xs }))
  })

  it("leaves nothing in the data for the next template", () => {
    const plain = new Context(JSON.stringify({ xs: [1] }))
    const template = new Renderer(shipped).template("{{ xs.push(2) }}{{ xs }}", "nunjucks")
    expect([template(plain), template(plain)]).toEqual(["21,2", "21,2"])
  })
})

describe("a collection of nunjucks filters", () => {
  const comma = load("nunjucks-comma-filter") as (input: unknown) => string
  const { SafeString } = load("nunjucks/src/runtime.js") as { readonly SafeString: new (text: string) => unknown }
  const collection: NunjucksCollection = {
    filters: {
      comma,
      shoutLoud: (text, mark = "!") => `${String(text)}${String(mark)}`,
      upper: () => "the collection's",
      named: (_input, keywords) => JSON.stringify(keywords),
      keys: (input) => Object.keys(input as object).filter((key) => (input as object).hasOwnProperty(key)),
      safely: () => new SafeString("s"),
      late: () => Promise.resolve("x")
    },
    tests: { tall: (input) => Number(input) > 40 },
    globals: { rackUnits: 42, unit: (number) => `U${String(number)}` }
  }
  const by = new Renderer([...shipped, { plugin: fromNunjucks("shop", collection, []), module: "test" }])
  const all = (sources: Readonly<Record<string, string>>) =>
    Object.entries(sources).map(([engine, source]) => outcome(source, { n: 1234567.5, d: { a: 1 } }, { engine, by }))

  it("from npm works unchanged in all three engines", () => {
    const source = "{{ n | comma }}"
    expect(all({ jinja: source, liquid: source, nunjucks: source })).toEqual(Array(3).fill("1,234,567.5"))
  })

  it("gets arguments and keyword arguments as nunjucks passes them", () => {
    expect(
      all({
        jinja: "{{ 'a'|shoutLoud('?') }} {{ 1|named(k='v') }}",
        nunjucks: "{{ 'a' | shoutLoud('?') }} {{ 1 | named(k='v') }}",
        liquid: "{{ 'a' | shoutLoud: '?' }} {{ 1 | named: k: 'v' }}"
      })
    ).toEqual(Array(3).fill('a? {"k":"v","__keywords":true}'))
  })

  it("sees objects with the methods that JavaScript's have, and may return nunjucks' safe text", () => {
    const source = "{{ d | keys | join }}{{ 1 | safely }}"
    expect(all({ jinja: source, liquid: source, nunjucks: source })).toEqual(Array(3).fill("as"))
  })

  it("brings its tests and globals, and does not replace what an engine has", () => {
    const source = "{{ unit(rackUnits) }} {{ 'yes' if 42 is tall else 'no' }} {{ 'a' | upper }} {{ 'a' | shop.upper }}"
    expect(all({ jinja: source, nunjucks: source })).toEqual(Array(2).fill("U42 yes A the collection's"))
  })

  it("may also be a function that adds to an environment", () => {
    const plugin = fromNunjucks(
      "mine",
      (environment) => environment.addFilter("twice", (x) => `${String(x)}${String(x)}`),
      []
    )
    const by = new Renderer([{ plugin, module: "test" }])
    expect(outcome("{{ 'a'|twice }}", {}, { by })).toBe("aa")
  })

  it("is refused if a filter is asynchronous, in words", () => {
    const words = "nunjucks filter mine.late is asynchronous: templates are rendered synchronously"
    expect(() => fromNunjucks("mine", { filters: { late: async () => "x" } }, [])).toThrow(words)
    expect(() =>
      fromNunjucks("mine", (environment) => environment.addFilter("late", () => undefined, true), [])
    ).toThrow(words)
    for (const fault of all({ jinja: "{{ 1|late }}", nunjucks: "{{ 1 | late }}" })) {
      expect(fault).toMatchObject({ reason: "Plugin", message: "shop.late: returned a promise" })
    }
  })
})

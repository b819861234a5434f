import { Liquid, filters } from "liquidjs"
import { describe, expect, it } from "vitest"
import { Context } from "../../src/template/Context.ts"
import { fromLiquid } from "../../src/template/plugin/Plugin.ts"
import { Renderer } from "../../src/template/Renderer.ts"
import { outcome } from "./Installed.ts"
import { liquidAttacks, liquidContext } from "./attacks/liquid.ts"

const people = [
  { name: "Ada", age: 36, on: true },
  { name: "bob", age: 25, on: false },
  { name: "Cem", age: 36, on: true }
]

/** Input and arguments for each filter that can be compared: what it gives must be what LiquidJS gives. */
const calls: Readonly<Record<string, readonly [input: unknown, ...args: ReadonlyArray<unknown>]>> = {
  abs: [-3.5],
  append: ["rack", "-1"],
  array_to_sentence_string: [["a", "b", "c"], "or"],
  at_least: [3, 5],
  at_most: [3, 2],
  base64_decode: ["aMOp"],
  base64_encode: ["hé"],
  capitalize: ["rACK one"],
  ceil: [1.2],
  cgi_escape: ["a b&c=é"],
  compact: [[1, null, 2]],
  concat: [[1], [2, 3]],
  date: ["2024-05-06T07:08:09Z", "%A %d %B %Y %H:%M:%S"],
  date_to_long_string: ["2024-05-06T07:08:09Z", "ordinal", "US"],
  date_to_rfc822: ["2024-05-06T07:08:09Z"],
  date_to_string: ["2024-05-06T07:08:09Z", "ordinal"],
  date_to_xmlschema: ["2024-05-06T07:08:09Z"],
  default: ["", "none"],
  divided_by: [7, 2],
  downcase: ["ABC É"],
  escape: ["<a href='x'>&"],
  escape_once: ["1 &lt; 2 & 3"],
  find: [people, "name", "bob"],
  find_exp: [people, "p", "p.age > 30"],
  find_index: [people, "name", "bob"],
  find_index_exp: [people, "p", "p.age < 30"],
  first: [[4, 5]],
  floor: [1.8],
  group_by: [people, "age"],
  group_by_exp: [people, "p", "p.age | divided_by: 10 | floor"],
  has: [people, "name", "zed"],
  has_exp: [people, "p", "p.on"],
  hmac_sha256: ["body", "key"],
  inspect: [{ a: [1, "x"] }],
  join: [["a", "b"], "-"],
  json: [{ a: [1, "x", null] }],
  jsonify: [{ a: 1 }],
  last: ["abc"],
  lstrip: ["  x "],
  map: [people, "name"],
  minus: [5, 2.5],
  modulo: [7, 3],
  newline_to_br: ["a\nb"],
  normalize_whitespace: ["a \n\t b"],
  number_of_words: ["one two three"],
  plus: [5, 2],
  pop: [[1, 2]],
  prepend: ["1", "rack-"],
  push: [[1], 2],
  reject: [people, "on"],
  reject_exp: [people, "p", "p.on"],
  remove: ["a-b-c", "-"],
  remove_first: ["a-b-c", "-"],
  remove_last: ["a-b-c", "-"],
  replace: ["a-b-c", "-", "+"],
  replace_first: ["a-b-c", "-", "+"],
  replace_last: ["a-b-c", "-", "+"],
  reverse: [[1, 2, 3]],
  round: [2.567, 2],
  rstrip: [" x  "],
  sha256: ["x"],
  shift: [[1, 2]],
  size: ["héllo"],
  slice: ["rackwire", 4, 3],
  slugify: ["A Rack, n°1!", "pretty"],
  sort: [[3, 1, 2]],
  sort_natural: [["b", "A", "c"]],
  split: ["a,b,c", ","],
  squish: [" a \n b "],
  strip: ["  x "],
  strip_html: ["<b>x</b><script>y</script>"],
  strip_newlines: ["a\nb"],
  sum: [people, "age"],
  times: [4, 2.5],
  to_integer: ["42"],
  truncate: ["a long sentence", 8],
  truncatewords: ["one two three", 2],
  uniq: [[1, 2, 1]],
  unshift: [[2], 1],
  upcase: ["abc é"],
  uri_escape: ["https://x/a b?é"],
  url_decode: ["a+b%20c"],
  url_encode: ["a b&c"],
  where: [people, "age", 36],
  where_exp: [people, "p", "p.age == 36"],
  xml_escape: ["<a>"]
}

/** `raw` only says how to print, `sample` picks at random in LiquidJS. */
const incomparable = new Set(["raw", "sample"])

describe("Liquid's filters in a Jinja template", () => {
  const liquid = new Liquid({ timezoneOffset: 0, locale: "en-US" })

  it.each(Object.entries(calls))("give the same result as in LiquidJS: %s", (name, [input, ...args]) => {
    const context = { input, a0: args[0], a1: args[1] }
    const names = args.map((_, at) => `a${at}`)
    const native = liquid.parseAndRenderSync(
      `{{ input | ${name}${names.length === 0 ? "" : `: ${names.join(", ")}`} | json }}`,
      context
    ) as string
    expect(
      outcome(`{{ input|liquid.${name}${names.length === 0 ? "" : `(${names.join(", ")})`}|liquid.json }}`, context)
    ).toBe(native)
  })

  it("are complete", () => {
    expect(Object.keys(filters).filter((name) => !(name in calls) && !incomparable.has(name))).toEqual([])
  })

  it("do not replace Jinja's filters of the same name", () => {
    expect(outcome("{{ [3, 1]|sort }} {{ 'abc'|first }} {{ ''|default('x') }}|{{ ''|liquid.default('x') }}")).toBe(
      "[1, 3] a |x"
    )
  })

  it("parse a number that is given as text only once", () => {
    expect(outcome("{{ ('9' * 200000)|liquid.slice('9' * 200000) }}")).toBe("")
  })

  it("pick the same samples from the same list", () => {
    const template = "{{ [1, 2, 3, 4, 5]|sample(3) }}"
    expect(outcome(template)).toBe(outcome(template))
  })

  it.each([
    ["{{ ('x' * 100000)|liquid.replace('x', 'x' * 100000) }}"],
    ["{{ (range(99999)|list)|sample(3) }}"],
    ["{{ range(9999)|list|where_exp('n', 'n > 1 or ' * 3000 ~ 'n') }}"],
    ["{% for i in range(99999) %}{% set x = 'a b'|split(' ') %}{% endfor %}"]
  ])("pay from the template's budget: %s", (template) => {
    expect(outcome(template)).toMatchObject({ reason: "Limit" })
  })
})

describe("Liquid as an engine", () => {
  const render = (source: string, context: unknown = {}, headers = false) =>
    outcome(source, context, { engine: "liquid", headers })

  it("renders a template", () => {
    const source = "{% for tag in data.tags %}{{ forloop.index }}{{ tag.slug | upcase }} {% endfor %}"
    expect(render(source, { data: { tags: [{ slug: "a" }, { slug: "b" }] } })).toBe("1A 2B ")
  })

  it("reports where a template has a fault", () => {
    expect(render("a\n{% if %}")).toMatchObject({ reason: "Syntax", line: 2 })
    expect(render("a\n  {{ 1 | nosuch }}")).toMatchObject({ reason: "Syntax", line: 2, column: 3 })
  })

  it("calls the filters of other plugins, unless Liquid has the name itself", () => {
    const source = "{{ x | regex_replace: 'S', 'x', ignorecase: true }} {{ x | regex_findall: '[A-Z]' | join: '-' }}"
    expect(render(source, { x: "Sw S" })).toBe("xw x S-S")
    expect(render("{{ x | split: ',' | first }}", { x: "a,b" })).toBe("a")
    expect(render("a\n{{ x | regex_search: '[' }}", { x: "a" })).toMatchObject({ reason: "Value", line: 2 })
  })

  it.each([
    ["{% for i in (1..40) %}{% assign a = b | push: a | push: a %}{% endfor %}{{ a | regex_search: 'x' }}", "memory"],
    ["{{ s | regex_replace: 'x', s }}", "memory"],
    ["{% for i in (1..1000000000) %}{% endfor %}", "memory"],
    ["{% for i in (1..9999) %}{% for j in (1..9999) %}{% if j == i %}x{% endif %}{% endfor %}{% endfor %}", "time"],
    ["{% assign a = 'xxxxxxxxxx' %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}{{ a }}", "memory"],
    [
      "{% assign a = 'xxxxxxxxxx' %}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}",
      "memory"
    ],
    ["x".repeat(66_000), "source"],
    ["{% if 1 %}".repeat(6000), "nesting"]
  ])("ends a template that asks for too much: %.60s", (source, limit) => {
    expect(render(source, { s: "x".repeat(10_000) })).toMatchObject({ reason: "Limit", limit })
  })

  it.each([
    ["{{ a.constructor }}{{ a.__proto__ }}{{ a.toString }}{{ constructor }}{{ __proto__ }}"],
    ["{{ xs.push }}{{ xs.map }}{{ 'x'.sub }}"],
    ["{% assign k = 'constr' | append: 'uctor' %}{{ a[k] }}{{ a[k][k] }}"]
  ])("shows nothing that is not the context's own: %s", (source) => {
    expect(render(source, { a: { b: 1 }, xs: [1] })).toBe("")
  })

  it.each(liquidAttacks.map((source) => [source]))("reaches no prototype, method or class: %s", (source) => {
    expect(render(source, liquidContext)).toBe('<tr class="row1"><td class="col1"></td></tr>')
  })

  it("reads data by names that are inherited properties of other objects", () => {
    const context = JSON.parse('{"constructor": {"toString": "own"}, "__proto__": {"a": 1}}') as unknown
    expect(render("{{ constructor.toString }} {{ __proto__.a }}", context)).toBe("own 1")
  })

  it("shows templates the state of loops, but no method that changes it", () => {
    const source =
      "{% for x in xs %}{{ forloop.next }}{{ forloop.index }}/{{ forloop.length }}{{ forloop.last }} {% endfor %}"
    expect(render(source, { xs: [7, 8] })).toBe("1/2false 2/2true ")
  })

  it.each([["include"], ["render"], ["layout"], ["block"]])("has no tag that loads other templates: %s", (tag) => {
    expect(render(`{% ${tag} 'x' %}`)).toMatchObject({ reason: "Syntax" })
  })

  it.each([
    ["{{ x }}"],
    ["{{ x | raw }}"],
    ["{% echo x %}"],
    ["{% cycle x, 'b' %}"],
    ["{% capture y %}{{ x }}{% endcapture %}{{ y }}"],
    ["{% liquid echo x %}"]
  ])("lets no value begin a header: %s", (source) => {
    expect(render(`X-A: ${source}`, { x: "1\r\nX-B: 2" }, true)).toMatchObject({ reason: "Value" })
    expect(render(`X-A: ${source}\nX-B: 2`, { x: "1" }, true)).toBe("X-A: 1\nX-B: 2")
  })
})

describe("a LiquidJS plugin", () => {
  const shout = function (this: Liquid): void {
    this.registerFilter("shout", (text: string, mark: string = "!") => `${text}${mark}`)
    this.registerFilter("sort", () => "sorted by the plugin")
    this.registerFilter("named", (_input, ...args: ReadonlyArray<unknown>) => JSON.stringify(args))
    this.registerFilter("steps", function* (text: string): Generator<unknown, string, string> {
      return `${yield text}?`
    })
    this.registerFilter("meter", function (text: string) {
      this.context.memoryLimit.use(100_000_000)
      return text
    })
    this.registerFilter("late", async () => "x")
    this.registerTag("shout", { parse: () => undefined, render: () => "tag" })
  }
  const renderer = new Renderer([{ plugin: fromLiquid("shouting", shout, []), module: "test" }])
  const render = (source: string) => renderer.template(source, "jinja")(new Context("{}"))

  it("adds its filters to Jinja without a change", () => {
    expect(render("{{ 'a'|shout }} {{ 'a'|shout('?') }} {{ 'a'|shouting.shout }} {{ 'a'|steps }}")).toBe("a! a? a! a?")
  })

  it("gets keyword arguments as LiquidJS gives them", () => {
    expect(render("{{ 1|named(2, k='v') }}")).toBe('[2,["k","v"]]')
  })

  it("does not replace Jinja's own names", () => {
    expect(render("{{ [2, 1]|sort }} {{ [2, 1]|shouting.sort }}")).toBe("[1, 2] sorted by the plugin")
  })

  it("uses the budget of the template, and cannot be asynchronous", () => {
    expect(() => render("{{ 'a'|meter }}")).toThrow("memory limit")
    expect(() => render("{{ 'a'|late }}")).toThrow("shouting.late")
  })
})

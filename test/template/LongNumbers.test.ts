/** Numbers of an event that JavaScript would round, in each language of templates. */
import { describe, expect, it } from "vitest"
import { Context } from "../../src/template/Context.ts"
import { faultOf } from "../../src/template/Renderer.ts"
import { renderer } from "./Installed.ts"

const long = "50755254975729665"
const fine = "0.12345678901234567890"
const huge = "1e400"
const event = `{"a": ${long}, "same": ${long}, "next": ${long.slice(0, -1)}6, "fine": ${fine}, "finer": ${fine}1,
  "huge": ${huge}, "b": [${huge}, 0.5, ${fine}], "c": 2, "list": [${long}, 3, ${long}]}`

const rendered = (engine: string, source: string) => {
  try {
    return renderer.template(source, engine, "text")(new Context(event))
  } catch (error) {
    return faultOf(error)
  }
}

const json = { jinja: "tojson", liquid: "json", nunjucks: "dump" }

describe.each(["jinja", "liquid", "nunjucks"] as const)("%s", (engine) => {
  it("prints all digits", () => {
    expect(rendered(engine, "{{ a }} {{ fine }} {{ huge }} {{ b[2] }}")).toBe(`${long} ${fine} ${huge} ${fine}`)
    expect(rendered(engine, `{{ b | ${json[engine]} }}`)).toMatch(new RegExp(`^\\[${huge}, ?0\\.5, ?${fine}\\]$`))
    expect(rendered(engine, `{{ a | ${json[engine]} }}`)).toBe(long)
  })

  it.each([
    ["a > c", "yes"],
    ["c < a", "yes"],
    ["a == same", "yes"],
    ["a == next", "no"],
    ["a != next", "yes"],
    ["next > a", "yes"],
    ["a >= next", "no"],
    ["a <= same", "yes"],
    ["fine < c", "yes"],
    ["huge > a", "yes"],
    ["a == 'x'", "no"],
    [`a == ${long}`, "yes"]
  ])("compares the numbers: %s", (condition, answer) => {
    expect(rendered(engine, `{% if ${condition} %}yes{% else %}no{% endif %}`)).toBe(answer)
  })
})

it.each([
  ["jinja", "{{ a + c }}", "50755254975729667"],
  ["jinja", "{{ {'a': a} | tojson }}", `{"a": ${long}}`],
  ["jinja", "{{ a | plus(c) }} {{ fine * 2 }}", "5.075525497572966e+16 0.24691357802469135"],
  ["liquid", "{{ a | plus: c }} {{ fine | times: 2 }}", `${Number(long) + 2} 0.24691357802469135`],
  ["liquid", "{% if finer > fine %}yes{% endif %}", "yes"],
  ["liquid", "{{ a | append: 'x' }} {{ list | sort | join: ' ' }}", `${long}x 3 ${long} ${long}`],
  ["liquid", "{{ list | uniq | size }} {{ a.size }} {{ a.json }}", "2 0 "],
  ["liquid", "{% case a %}{% when same %}yes{% endcase %}", "yes"],
  ["liquid", "{{ a | b64encode }}", btoa(long)],
  ["nunjucks", "{{ {'a': a} | dump }}", `{"a":${long}}`],
  ["nunjucks", "{% if finer > fine %}yes{% endif %}", "yes"],
  ["nunjucks", "{{ 'x' + a }} {{ fine + 'x' }} {{ [a, fine] }}", `x${long} ${fine}x ${long},${fine}`],
  ["nunjucks", "{{ a + c }}", `${Number(long) + 2}`],
  ["nunjucks", "{{ a * c }} {{ a === same }} {{ a is number }}", "101510509951459330 true true"],
  [
    "nunjucks",
    "{{ fine.toFixed(2) }} {{ a.toString() }} {{ a | replace('5', 'x', 1) }}",
    `0.12 ${long} x${long.slice(1)}`
  ],
  ["nunjucks", "{{ list | sort | join(' ') }}", `3 ${long} ${long}`]
])("%s: %s", (engine, source, output) => {
  expect(rendered(engine, source)).toBe(output)
})

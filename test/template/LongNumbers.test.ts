/** Numbers of an event that JavaScript would round, in each language of templates. */
import { describe, expect, it } from "vitest"
import { Context } from "../../src/template/Context.ts"
import { faultOf } from "../../src/template/Renderer.ts"
import { renderer } from "./Installed.ts"

const long = "50755254975729665"
const event = `{"a": ${long}, "b": [1e400, 0.5], "c": 2}`

const rendered = (engine: string, source: string) => {
  try {
    return renderer.template(source, engine, "text")(new Context(event))
  } catch (error) {
    return faultOf(error)
  }
}

describe.each(["jinja", "liquid", "nunjucks"])("%s", (engine) => {
  it("prints all digits, and compares them", () => {
    expect(rendered(engine, "{{ a }}")).toBe(long)
    expect(rendered(engine, "{% if a > c %}yes{% endif %}")).toBe("yes")
  })
})

it.each([
  ["jinja", "{{ a + c }}", "50755254975729667"],
  ["jinja", "{{ {'a': a} | tojson }}", `{"a": ${long}}`],
  ["liquid", "{{ a | json }}", long],
  ["liquid", "{{ b | json }}", "[null,0.5]"],
  ["nunjucks", "{{ {'a': a} | dump }}", `{"a":${long}}`],
  ["nunjucks", "{{ 'x' + a }}", `x${long}`],
  ["nunjucks", "{{ a + c }}", `${Number(long) + 2}`],
  ["nunjucks", "{{ a * c }} {{ a == a }}", "101510509951459330 true"]
])("%s: %s", (engine, source, output) => {
  expect(rendered(engine, source)).toBe(output)
})

import { describe, expect, it } from "vitest"
import { Environment } from "../../src/jinja/Environment.ts"
import { render } from "./render.ts"
import { details, pythonNames, vectors } from "./vectors.ts"

/** Addresses differ from run to run in Python. */
const withoutAddress = (text: string) => text.replace(/0x[0-9a-f]+/g, "0x")

const recorded = [...vectors, ...details]

describe("templates give the results of Jinja2", () => {
  it.each(recorded.filter(({ expected }) => expected !== undefined))(
    "$template",
    ({ template, context, options, expected }) => {
      const { output, fault } = render(template, context, new Environment(options))
      expect(fault).toBeUndefined()
      expect(withoutAddress(output!)).toBe(withoutAddress(expected!))
    }
  )

  it.each(recorded.filter(({ expected }) => expected === undefined))(
    "$template, an error",
    ({ template, context, options, error, message, ours }) => {
      const { fault } = render(template, context, new Environment(options))
      expect(fault).toBeDefined()
      expect(pythonNames[fault!.reason]).toContain(error)
      expect(fault!.message).toBe(ours ?? message)
    }
  )

  it.each([
    ["{{ [1] is filter }}", "list"],
    ["{{ ({},) is filter }}", "dict"],
    ["{{ ('a', [1]) is test }}", "list"]
  ])("fail where Python looks for a name that has no hash: %s", (template, type) => {
    expect(render(template).fault).toMatchObject({ reason: "Type", message: `unhashable type: '${type}'` })
  })

  it.each([
    ["{{ 'abc'.endswith('c') }} {{ 'abc'.endswith('b') }} {{ 'abc'.endswith(('x', 'b')) }}", "True False False"],
    ["{{ 'abc'.endswith('b', 0, 2) }} {{ 'abc'.endswith('', 4) }}", "True False"],
    ["{{ 'abc'.startswith('a') }} {{ 'abc'.startswith('b') }} {{ 'abc'.startswith(('x', 'b')) }}", "True False False"],
    ["{{ 'abc'.startswith('b', 1) }} {{ 'abc'.startswith('', 4) }}", "True False"]
  ])("compare the beginnings and ends of texts: %s", (template, output) => {
    expect(render(template).output).toBe(output)
  })

  it("sort in reverse with the comparisons of Python, and keep the order of equal elements", () => {
    expect(render("{{ [nope, 255, []]|sort(reverse=true) }}").fault).toMatchObject({
      message: "'<' not supported between instances of 'int' and 'list'"
    })
    const pairs = `{{ [{"a": 1, "b": 1}, {"a": 2}, {"a": 1, "b": 2}]|sort(true, attribute="a")|map(attribute="b")|list }}`
    expect(render(pairs).output).toBe("[Undefined, 1, 2]")
  })

  it("cover all 501 rows", () => {
    expect(vectors).toHaveLength(501)
  })
})

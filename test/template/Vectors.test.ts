import { assert, describe, it } from "vitest"
import { Environment } from "../../src/template/Environment.ts"
import { render } from "./render.ts"
import { pythonNames, vectors } from "./vectors.ts"

/** Addresses differ from run to run in Python. */
const withoutAddress = (text: string) => text.replace(/0x[0-9a-f]+/g, "0x")

describe("what Jinja2 makes of a template, we make of it", () => {
  it.each(vectors)("$template", ({ template, context, options, expected, error, message }) => {
    const rendered = render(template, context, new Environment(options))
    if (expected !== undefined) {
      assert.deepStrictEqual(rendered.fault, undefined)
      assert.strictEqual(withoutAddress(rendered.output ?? ""), withoutAddress(expected))
      return
    }
    assert.strictEqual(rendered.output, undefined)
    assert.include(pythonNames[rendered.fault!.reason] ?? [], error)
    assert.strictEqual(rendered.fault!.message, message)
  })

  it("covers all 501 rows", () => {
    assert.strictEqual(vectors.length, 501)
  })
})

/** Makes random templates: statements, text and white space around expressions. */
import { mutate } from "../fuzz/Mutation.ts"
import type { Random } from "../fuzz/Random.ts"
import { Expressions } from "./Expressions.ts"

const texts = ["", " ", "\n", "  ", "a", "x\n", "\n y", "{ ", "} ", "%", " \n ", "\t", "<p>", "é", "\r\n", "a {b} c"]

export class Templates {
  private readonly random: Random
  private readonly expressions: Expressions
  private counter = 0

  constructor(random: Random) {
    this.random = random
    this.expressions = new Expressions(random)
  }

  sample(): string {
    const { random } = this
    this.expressions.variables.length = 0
    this.counter = 0
    const kind = random.next()
    if (kind < 0.4) return this.print(4)
    return kind < 0.5 ? mutate(random, this.body(2, 3)) : this.body(random.pick([1, 2, 3]), 3)
  }

  private tag(inner: string): string {
    const [start, end] = [this.random.chance(0.15) ? "-" : "", this.random.chance(0.15) ? "-" : ""]
    return `{%${start} ${inner} ${end}%}`
  }

  private print(depth: number): string {
    const [start, end] = [this.random.chance(0.1) ? "-" : "", this.random.chance(0.1) ? "-" : ""]
    return `{{${start} ${this.expressions.any(depth)} ${end}}}`
  }

  private body(depth: number, most: number): string {
    const { random } = this
    return random.many(1, most, () => random.pick(texts) + this.statement(depth) + random.pick(texts)).join("")
  }

  private fresh(): string {
    const name = `v${this.counter++}`
    this.expressions.variables.push(name)
    return name
  }

  /** A name to set: mostly a new one. */
  private target(): string {
    const { random, expressions } = this
    const known = expressions.variables.filter((name) => /^\w+$/.test(name))
    return known.length > 0 && random.chance(0.4) ? random.pick(known) : this.fresh()
  }

  private statement(depth: number): string {
    const { random, expressions } = this
    if (depth <= 0) return this.print(2)
    const inner = () => this.body(depth - 1, 2)
    return random.pick<() => string>([
      () => this.print(3),
      () => this.print(3),
      () => this.choice(inner),
      () => this.loop(inner),
      () => this.loop(inner),
      () => {
        const value = expressions.any(2)
        return this.tag(`set ${this.target()}${random.chance(0.1) ? `, ${this.target()}` : ""} = ${value}`)
      },
      () => {
        const body = inner()
        return `${this.tag(`set ${this.target()}`)}${body}${this.tag("endset")}`
      },
      () => this.macro(inner),
      () => this.macro(inner),
      () =>
        `${this.tag(`filter ${random.pick(["upper", "title", "replace('a', 'b')", "trim", "indent(2)", "length"])}`)}${inner()}${this.tag("endfilter")}`,
      () => this.cases(inner),
      () =>
        random.pick([
          "{# a comment #}",
          "{#- x -#}",
          "{% raw %}{{ x }} {% y %}{% endraw %}",
          "{% verbatim %}{{ z }}{% endverbatim %}"
        ])
    ])()
  }

  private choice(inner: () => string): string {
    const { random, expressions } = this
    const more = random.many(
      0,
      2,
      () => this.tag(`${random.pick(["elif", "elseif"])} ${expressions.of("bool", 2)}`) + inner()
    )
    const otherwise = random.chance(0.5) ? this.tag("else") + inner() : ""
    return `${this.tag(`if ${expressions.of("bool", 2)}`)}${inner()}${more.join("")}${otherwise}${this.tag("endif")}`
  }

  private loop(inner: () => string): string {
    const { random, expressions } = this
    const count = random.pick([1, 1, 1, 2, 2, 3])
    const values = random.chance(0.8)
      ? expressions.of(count === 1 ? "list" : random.pick(["obj", "list"] as const), 2)
      : expressions.any(1)
    const before = expressions.variables.length
    const names = Array.from({ length: count }, () => this.fresh())
    expressions.variables.push(
      `loop.${random.pick(["index", "index0", "revindex", "revindex0", "first", "last", "length"])}`
    )
    const body = inner()
    expressions.variables.length = random.chance(0.8) ? before : before + count
    const otherwise = random.chance(0.3) ? this.tag("else") + inner() : ""
    return `${this.tag(`for ${names.join(", ")} in ${values}`)}${body}${otherwise}${this.tag("endfor")}`
  }

  private macro(inner: () => string): string {
    const { random, expressions } = this
    const name = `m${this.counter++}`
    const before = expressions.variables.length
    const parameters = random.many(0, 2, () => this.fresh())
    const defaults = random.many(0, 2, () => `${this.fresh()}=${expressions.any(1)}`)
    const body = `${inner()}${random.chance(0.5) ? random.pick(["{{ caller() if caller }}", "{{ caller(1, 'c') if caller }}", "{{ caller() }}"]) : ""}`
    const known = expressions.variables.slice(before, before + parameters.length)
    expressions.variables.length = before
    const args = [
      ...random.many(0, 3, () => expressions.any(1)),
      ...(known.length > 0 && random.chance(0.3) ? [`${random.pick(known)}=${expressions.any(1)}`] : [])
    ].join(", ")
    const declared = `${this.tag(`macro ${name}(${[...parameters, ...defaults].join(", ")})`)}${body}${this.tag("endmacro")}`
    if (random.chance(0.4)) {
      const params = random.chance(0.5) ? `(${this.fresh()})` : ""
      return `${declared}${this.tag(`call${params} ${name}(${args})`)}${inner()}${this.tag("endcall")}`
    }
    return `${declared}{{ ${name}(${args})${random.pick(["", "", " | upper", " | length", " ~ 1"])} }}`
  }

  private cases(inner: () => string): string {
    const { random, expressions } = this
    const all = random.many(1, 3, () => `${this.tag(`case ${expressions.any(0)}`)}${random.chance(0.2) ? "" : inner()}`)
    const otherwise = random.chance(0.5) ? this.tag("default") + inner() : ""
    return `${this.tag(`switch ${expressions.any(1)}`)}${all.join("")}${otherwise}${this.tag("endswitch")}`
  }
}

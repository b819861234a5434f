/** Makes random templates: statements, text and white space around expressions. */
import { Expressions } from "./Expressions.ts"
import { mutate } from "./Mutation.ts"
import type { Random } from "./Random.ts"
import { makeScopes } from "./Scopes.ts"

/** Options of Jinja's environment, by Python's names. */
export interface Options {
  readonly trim_blocks?: boolean
  readonly lstrip_blocks?: boolean
  readonly keep_trailing_newline?: boolean
}

export interface Sample {
  readonly template: string
  readonly options: Options
}

const texts = [
  "",
  " ",
  "\n",
  "\n\n",
  "  ",
  "a",
  "x\n",
  "\n y",
  "{ ",
  "} ",
  "%",
  "#",
  " \n ",
  "\t",
  "<p>",
  "é",
  "\r\n",
  "{",
  "a {b} c"
]

export class Templates {
  private readonly random: Random
  private readonly expressions: Expressions
  private counter = 0

  constructor(random: Random) {
    this.random = random
    this.expressions = new Expressions(random)
  }

  sample(): Sample {
    const { random } = this
    this.expressions.variables.length = 0
    this.counter = 0
    const kind = random.next()
    const template =
      kind < 0.12
        ? makeScopes(random)
        : kind < 0.45
          ? this.print(4)
          : kind < 0.55
            ? mutate(random, this.body(2, 3))
            : this.body(random.pick([1, 2, 3]), 4)
    const options = random.chance(0.75)
      ? {}
      : {
          trim_blocks: random.chance(0.5),
          lstrip_blocks: random.chance(0.5),
          keep_trailing_newline: random.chance(0.3)
        }
    return { template, options }
  }

  /** The start and end of a tag, with white space control now and then. */
  private tag(inner: string): string {
    const { random } = this
    const start = random.chance(0.15) ? random.pick(["-", "+"]) : ""
    const end = random.chance(0.15) ? random.pick(["-", "+"]) : ""
    return `{%${start} ${inner} ${end}%}`
  }

  private print(depth: number): string {
    const { random } = this
    const start = random.chance(0.07) ? "-" : ""
    const end = random.chance(0.07) ? "-" : ""
    return `{{${start} ${this.expressions.any(depth)} ${end}}}`
  }

  private body(depth: number, most: number): string {
    return (
      this.random.many(1, most, () => this.random.pick(texts) + this.node(depth)).join("") + this.random.pick(texts)
    )
  }

  private node(depth: number): string {
    const { random } = this
    if (depth <= 0 || random.chance(0.3)) return this.print(2)
    return random.pick<() => string>([
      () => this.ifBlock(depth),
      () => this.forBlock(depth),
      () => this.forBlock(depth),
      () => this.setStatement(),
      () => this.setBlock(depth),
      () => this.macro(depth),
      () => this.callBlock(depth),
      () => this.filterBlock(depth),
      () => this.withBlock(depth),
      () => this.raw(),
      () => this.comment(),
      () => this.namespace(depth),
      () => this.block(depth),
      () => this.autoescape(depth),
      () => this.tag(`print ${this.expressions.any(2)}`)
    ])()
  }

  private variable(): string {
    return `v${this.counter++ % 4}`
  }

  /** Something that has a variable while it is made. */
  private scoped(names: ReadonlyArray<string>, make: () => string): string {
    const { variables } = this.expressions
    const before = variables.length
    variables.push(...names)
    const made = make()
    // Inner names are sometimes kept, to test reads of names that are out of scope.
    if (this.random.chance(0.7)) variables.length = before
    return made
  }

  private ifBlock(depth: number): string {
    const { random, expressions } = this
    let all =
      this.tag(`if ${random.chance(0.5) ? expressions.of("bool", 2) : expressions.any(2)}`) + this.body(depth - 1, 2)
    if (random.chance(0.3)) all += this.tag(`elif ${expressions.of("bool", 2)}`) + this.body(depth - 1, 2)
    if (random.chance(0.4)) all += this.tag("else") + this.body(depth - 1, 2)
    return all + this.tag("endif")
  }

  private forBlock(depth: number): string {
    const { random, expressions } = this
    if (random.chance(0.06)) return this.recursiveLoop()
    const pairs = random.chance(0.2)
    const name = this.variable()
    const target = pairs ? `${name}, w` : name
    const iterable = pairs
      ? `(${expressions.of("dict", 1)}).items()`
      : expressions.of(random.pick(["list", "list", "dict", "str"] as const), 2)
    const names = [
      ...(pairs ? [name, "w"] : [name]),
      random.pick([
        "loop.index",
        "loop.last",
        "loop.length",
        "loop.revindex",
        "loop.first",
        "loop.index0",
        "loop.previtem",
        "loop.nextitem",
        "loop.depth",
        "loop.cycle('a', 'b')",
        `loop.changed(${name})`
      ])
    ]
    return this.scoped(names, () => {
      const test = random.chance(0.15) ? ` if ${expressions.of("bool", 1)}` : ""
      let all = this.tag(`for ${target} in ${iterable}${test}`) + this.body(depth - 1, 2)
      if (random.chance(0.2)) all += this.tag("else") + this.body(depth - 1, 1)
      return all + this.tag("endfor")
    })
  }

  private recursiveLoop(): string {
    return `${this.tag("for x in [{'v': 1, 'c': [{'v': 2, 'c': []}, {'v': 3}]}, {'v': 4, 'c': []}] recursive")}${this.random.pick(texts)}{{ x.v }}{{ loop.depth }}{{ loop(x.c) if x.c }}${this.tag("endfor")}`
  }

  private setStatement(): string {
    const { random, expressions } = this
    const name = this.variable()
    const made = random.chance(0.15)
      ? this.tag(`set ${name}, w = ${expressions.any(1)}, ${expressions.any(1)}`)
      : this.tag(`set ${name} = ${expressions.any(3)}`)
    expressions.variables.push(name)
    return made
  }

  private setBlock(depth: number): string {
    const name = this.variable()
    const filter = this.random.pick(["", "", " | upper", " | trim", " | replace('a', 'b')", " | length"])
    const made = this.tag(`set ${name}${filter}`) + this.body(depth - 1, 2) + this.tag("endset")
    this.expressions.variables.push(name)
    return made
  }

  private macro(depth: number): string {
    const { random, expressions } = this
    const params = random.pick(["", "a", "a, b=1", "a='x', b=a", "a, b=[], *"])
    const clean = params.replace(", *", "")
    const inner = this.scoped(["a", "b", random.pick(["varargs", "kwargs", "caller", "a", "caller()"])], () =>
      this.body(depth - 1, 2)
    )
    const definition = this.tag(`macro m(${clean})`) + inner + this.tag("endmacro")
    const call = () =>
      `{{ m(${random.pick(["", "1", "1, 2", "b=3", "a=1, b=2", "1, 2, 3", "*[1]", "**{'a': 5}", "q=1", expressions.any(1)])}) }}`
    return definition + this.random.pick(texts) + random.many(0, 2, call).join("")
  }

  private callBlock(depth: number): string {
    const { random } = this
    const definition =
      this.tag("macro c(x='d')") +
      this.random.pick(texts) +
      random.pick(["{{ caller() }}", "{{ caller(1) }}", "{{ x }}", "{{ caller(x)|upper }}"]) +
      this.tag("endmacro")
    const params = random.pick(["", "(y)", "(y=2)"])
    return (
      definition +
      this.scoped(
        ["y", "x"],
        () =>
          this.tag(`call${params} c(${random.pick(["", "1", "x='q'"])})`) +
          this.body(depth - 1, 2) +
          this.tag("endcall")
      )
    )
  }

  private filterBlock(depth: number): string {
    const filter = this.random.pick([
      "upper",
      "lower|trim",
      "replace('a', 'b')",
      "indent(2)",
      "title",
      "escape",
      "trim|length",
      "tojson",
      "center(9)",
      "wordcount",
      "reverse"
    ])
    return this.tag(`filter ${filter}`) + this.body(depth - 1, 2) + this.tag("endfilter")
  }

  private withBlock(depth: number): string {
    const name = this.variable()
    const values = this.random.pick([`${name} = ${this.expressions.any(2)}`, "", `${name} = 1, w = ${name}`])
    return this.scoped([name, "w"], () => this.tag(`with ${values}`) + this.body(depth - 1, 2) + this.tag("endwith"))
  }

  private raw(): string {
    return (
      this.tag("raw") +
      this.random.pick(texts) +
      this.random.pick(["{{ x }}", "{% if %}", "{# c #}", "}}"]) +
      this.random.pick(texts) +
      this.tag("endraw")
    )
  }

  private comment(): string {
    const { random } = this
    return `{#${random.pick(["", "-", "+"])}${random.pick([" c ", "", "\n", " {{ x }} "])}${random.pick(["", "-", "+"])}#}`
  }

  private namespace(depth: number): string {
    const inner = this.scoped(
      ["ns.x"],
      () =>
        this.tag(`set ns.x = ${this.random.pick(["ns.x ~ 'a'", "ns.x + 1", this.expressions.any(1)])}`) +
        this.body(depth - 1, 1)
    )
    return (
      this.tag(`set ns = namespace(x=${this.random.pick(["0", "''", "[]"])})`) +
      this.tag("for i in [1, 2]") +
      inner +
      this.tag("endfor") +
      "{{ ns.x }}"
    )
  }

  private block(depth: number): string {
    const name = `b${this.counter++}`
    const scoped = this.random.pick(["", "", " scoped"])
    const after = this.random.pick(["", "", `{{ self.${name}() }}`])
    const start = this.tag(`block ${name}${scoped}`) + this.body(depth - 1, 2)
    return start + this.tag(this.random.pick(["endblock", `endblock ${name}`])) + after
  }

  private autoescape(depth: number): string {
    const start = this.tag(`autoescape ${this.random.pick(["true", "false", "t", "not t"])}`)
    return start + this.body(depth - 1, 2) + this.tag("endautoescape")
  }
}

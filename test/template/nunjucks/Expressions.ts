/** Makes random expressions of nunjucks that mostly fit together: each kind of value has its own producers. */
import type { Random } from "../fuzz/Random.ts"
import { makeText } from "./TextExpressions.ts"

export type Kind = "num" | "str" | "bool" | "list" | "obj"

const kinds = ["num", "str", "bool", "list", "obj"] as const

export const context = {
  n: 7,
  z: 0,
  neg: -3,
  f: 2.5,
  s: "Hello World",
  t: "a,b,,c",
  html: "<b>Bold</b> & 'x' <!-- c -->",
  lines: "one\n  two\n\nthree ",
  empty: "",
  digits: "42",
  yes: true,
  no: false,
  nul: null,
  xs: [3, 1, 2],
  ys: ["b", "A", "c", "a"],
  mixed: [1, "1", null, true, [2], { a: 1 }],
  none_: [],
  d: { a: 1, b: "x", c: null, name: "Dee" },
  o: { nested: { list: [1, { k: "v" }], name: "N" }, 2: "two", 1: "one" },
  people: [
    { name: "Ada", age: 36, on: true, g: "x" },
    { name: "bob", age: 25, on: false, g: "y" },
    { name: "Cem", age: 36, on: true, g: "x" }
  ]
}

const names: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  num: ["n", "z", "neg", "f", "d.a", "people[0].age", "xs[1]", "xs.length", "s.length"],
  str: ["s", "t", "html", "lines", "empty", "digits", "d.b", "people[1].name", "o.nested.name", "ys[0]"],
  bool: ["yes", "no", "people[0].on", "nul"],
  list: ["xs", "ys", "people", "mixed", "none_", "o.nested.list"],
  obj: ["d", "o", "o.nested", "people[0]"]
}

const literals: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  num: ["0", "1", "2", "10", "3.5", "100", "0.1"],
  str: ["'a'", "'b c'", '""', "'1'", "'<x>'", "'Äö'", "'x\\ny'", '"q\\"q"', "'😀e'"],
  bool: ["true", "false", "none", "null", "nope"],
  list: [
    "[]",
    "[1]",
    "[1, 'a', 2.5]",
    "['x', 'y']",
    "[[1, 2], [3, 4]]",
    "range(4)",
    "range(1, 9, 3)",
    "range(3, 0, -1)"
  ],
  obj: ["{}", "{a: 1}", "{'k': 'v', z: [1]}", "{name: 'lit', age: 3}"]
}

export const attributes = ["'name'", "'age'", "'on'", "'g'", "'nope'", "'a'"]

export class Expressions {
  readonly random: Random
  /** Variables that statements around have set. */
  readonly variables: Array<string> = []

  constructor(random: Random) {
    this.random = random
  }

  /** An expression of that kind, or now and then of another. */
  of(kind: Kind, depth: number): string {
    return this.exactly(this.random.chance(0.05) ? this.random.pick(kinds) : kind, depth)
  }

  any(depth: number): string {
    return this.of(this.random.pick(kinds), depth)
  }

  private exactly(kind: Kind, depth: number): string {
    const { random } = this
    if (depth <= 0 || random.chance(0.25)) return this.leaf(kind)
    const common = random.next()
    const d = depth - 1
    if (common < 0.04) return `(${this.of(kind, d)} if ${this.of("bool", d)} else ${this.of(kind, d)})`
    if (common < 0.06) return `(${this.of(kind, d)} if ${this.of("bool", d)})`
    if (common < 0.1) return `(${this.of(kind, d)} ${random.pick(["or", "and"])} ${this.of(kind, d)})`
    if (common < 0.12) return `(${this.any(d)}) | default(${this.of(kind, 0)}${random.pick(["", ", true"])})`
    if (common < 0.14) return `(${this.any(d)}, ${this.of(kind, d)})`
    switch (kind) {
      case "num":
        return this.number(depth)
      case "str":
        return makeText(this, depth)
      case "bool":
        return this.boolean(depth)
      case "list":
        return this.list(depth)
      case "obj":
        return this.object(depth)
    }
  }

  private leaf(kind: Kind): string {
    const { random } = this
    if (this.variables.length > 0 && random.chance(0.2)) return random.pick(this.variables)
    return random.pick(random.chance(0.5) ? names[kind] : literals[kind])
  }

  private number(depth: number): string {
    const { random } = this
    const d = depth - 1
    const one = () => this.of("num", d)
    return random.pick<() => string>([
      () => `${one()} ${random.pick(["+", "-", "*", "/", "%", "//", "**"])} ${one()}`,
      () =>
        `${one()} ${random.pick(["+", "-", "*", "/", "%"])} ${one()} ${random.pick(["+", "-", "*", "/", "//"])} ${one()}`,
      () => `(${one()}) ${random.pick(["//", "%", "**"])} ${random.pick(["2", "3", "0"])}`,
      () => `-${this.of("num", 0)}`,
      () => `+${this.any(0)}`,
      () => `(${this.any(d)}) | length`,
      () =>
        `(${this.any(d)}) | ${random.pick(["int", "int(9)", "int(base=2)", "int(default=5)", "float", "float(1.5)"])}`,
      () =>
        `(${one()}) | ${random.pick(["abs", "round", "round(1)", "round(2, 'floor')", "round(0, 'ceil')", "round(-1)"])}`,
      () => `(${this.of("list", d)}) | ${random.pick(["sum", "first", "last", "sum('age')", "sum('age', 5)"])}`,
      () => `(${this.of("str", d)}) | wordcount`,
      () =>
        `(${this.of("str", d)}).${random.pick(["indexOf('a')", "length", "charCodeAt(0)", "lastIndexOf('o')", "search(r/[a-c]/)"])}`,
      () =>
        `(${this.of("list", d)}).${random.pick(["indexOf(1)", "length", "push(1)", "lastIndexOf('a')", "unshift(0)"])}`
    ])()
  }

  private boolean(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () => `${this.any(d)} ${random.pick(["==", "!=", "===", "!==", "<", ">", "<=", ">="])} ${this.any(d)}`,
      () => `${this.of("num", d)} ${random.pick(["<", ">", "<=", "=="])} ${this.of("num", d)}`,
      () => `${this.of("num", 0)} < ${this.of("num", 0)} ${random.pick(["<", "==", "!="])} ${this.of("num", 0)}`,
      () => `not ${this.any(d)}`,
      () => `not ${this.any(d)} ${random.pick(["==", "<", "and", "or", "in"])} ${this.of("list", d)}`,
      () =>
        `(${this.any(d)} ${random.pick(["in", "not in"])} ${this.of(random.pick(["list", "str", "obj"] as const), d)})`,
      () =>
        `(${this.any(d)}) is ${random.pick(["", "not "])}${random.pick(["defined", "undefined", "none", "null", "string", "number", "mapping", "iterable", "callable", "odd", "even", "upper", "lower", "escaped", "truthy", "falsy", "divisibleby(3)", "eq(1)", "sameas(1)", "equalto('a')", "ne(2)", "gt(2)", "lt(2)", "ge(7)", "le(7)", "greaterthan(1)", "lessthan(1)"])}`,
      () =>
        `(${this.of("str", d)}).${random.pick(["includes('a')", "startsWith('H')", "endsWith('d')", "includes(1)"])}`,
      () => `(${this.of("list", d)}).includes(${this.any(0)})`,
      () => `r/${random.pick(["a+", "^H", "[0-9]", "(b|c)$"])}/${random.pick(["", "i"])}.test(${this.of("str", d)})`
    ])()
  }

  private list(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () => `[${random.many(0, 4, () => this.any(d)).join(", ")}]`,
      () => `(${this.of("list", d)}) | ${this.listFilter()}`,
      () => `(${this.of("str", d)}) | list`,
      () => `(${this.of("str", d)}).split(${random.pick(["','", "''", "' '", "'o', 2", "r/[ ,]/", ""])})`,
      () => `(${this.of("str", d)}).match(${random.pick(["r/[a-z]+/g", "r/([a-z])([a-z])/", "r/q/"])})`,
      () =>
        `(${this.of("obj", d)}) | ${random.pick(["dictsort", "list", "dictsort(true)", "dictsort(false, 'value')"])}`,
      () =>
        `(${this.of("list", d)}).${random.pick(["slice(1)", "slice(0, -1)", "concat([9])", "concat(1, 'z')", "reverse()", "sort()", "splice(1, 1)", "flat()", "slice()"])}`,
      () => `range(${random.pick(["3", "1, 4", "5, 0, -2", "0", this.of("num", 0)])})`
    ])()
  }

  private listFilter(): string {
    const { random } = this
    const attribute = random.pick(attributes)
    return random.pick([
      "sort",
      "sort(true)",
      "sort(reverse=true)",
      "sort(false, true)",
      "sort(case_sensitive=true)",
      `sort(attribute=${attribute})`,
      `sort(false, false, ${attribute})`,
      "reverse",
      "batch(2)",
      "batch(3, 'x')",
      "slice(2)",
      "slice(3, 0)",
      "slice(3, '-')",
      "list",
      "select",
      "select('odd')",
      "reject('string')",
      "select('gt', 1)",
      "reject('undefined')",
      `selectattr(${attribute})`,
      `rejectattr(${attribute})`,
      "default([])"
    ])
  }

  private object(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () =>
        `{${random.many(0, 3, () => `${random.pick(["a", "'b'", "k", "'1'", "name"])}: ${this.any(d)}`).join(", ")}}`,
      () => `(${this.of("list", d)}) | groupby(${random.pick(attributes)})`,
      () => `(${this.of("list", d)})[${random.pick(["0", "1", "'0'", "9"])}]`,
      () => `(${this.of("obj", d)}).${random.pick(["nested", "a", "nope", "name"])}`,
      () => `(${this.of("obj", d)})[${random.pick(["'a'", "'nope'", "1", "s", this.of("str", 0)])}]`
    ])()
  }
}

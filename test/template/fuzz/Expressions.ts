/** Makes random expressions that mostly fit together: each kind of value has its own producers. */
import type { Random } from "./Random.ts"

export type Kind = "int" | "float" | "str" | "list" | "dict" | "bool" | "any"

const kinds: ReadonlyArray<Kind> = ["int", "float", "str", "list", "dict", "bool"]

/** Names of the vectors' context by what they hold. */
const names: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  int: ["n", "neg", "us[0].age", "xs[0]", "d.a"],
  float: ["f", "fl"],
  str: ["name", "s", "e", "uni", "html", "dt", "us[1].name", "us[0]['g']"],
  list: ["xs", "us", "it['items']", "nested.a.b"],
  dict: ["d", "nested", "us[0]", "it"],
  bool: ["t", "us[0].active"],
  any: ["z", "nope", "big", "d.nope", "xs[9]", "none", "self_", "us[5].x"]
}

const strings = [
  "''",
  "'a'",
  "'abc'",
  "'Hello World'",
  "'a,b,,c'",
  '"it\'s"',
  "'x y  z'",
  "'é☃😀'",
  "'ß'",
  "'a\\nb\\tc'",
  "'\\x41\\u00e9'",
  "'<b>&\"'",
  "'%s-%d'",
  "'{}'",
  "'{0}{1}'",
  "'3'",
  "'-4.5'",
  "'0x1f'",
  "'1_000'",
  "' pad '",
  "'AbC dEf'",
  "'one two three four five six'",
  "'http://example.com/a?b=c'",
  "'name'"
]

const integers = [
  "0",
  "1",
  "2",
  "3",
  "5",
  "7",
  "10",
  "42",
  "255",
  "1000",
  "-1",
  "-3",
  "1_000",
  "0x1f",
  "0b101",
  "12345678901234567890"
]
const floats = ["0.0", "0.5", "1.0", "1.5", "2.5", "-2.5", "3.14159", "1e3", "1e-7", "1e16", "123456.789", "-0.0"]
const attributes = ["'name'", "'age'", "'g'", "'active'", "'nope'", "0", "'0'"]

export class Expressions {
  private readonly random: Random
  /** Variables that statements around have set. */
  readonly variables: Array<string> = []

  constructor(random: Random) {
    this.random = random
  }

  /** An expression of that kind, or now and then of another. */
  of(kind: Kind, depth: number): string {
    const { random } = this
    if (random.chance(0.04)) return this.exactly(random.pick([...kinds, "any"] as const), depth)
    return this.exactly(kind, depth)
  }

  any(depth: number): string {
    return this.of(this.random.pick([...kinds, "str", "list", "any"] as const), depth)
  }

  private exactly(kind: Kind, depth: number): string {
    const { random } = this
    if (depth <= 0 || random.chance(0.25)) return this.leaf(kind)
    const common = random.next()
    if (common < 0.05)
      return `(${this.of(kind, depth - 1)} if ${this.of("bool", depth - 1)} else ${this.of(kind, depth - 1)})`
    if (common < 0.07) return `${this.of(kind, depth - 1)} if ${this.of("bool", depth - 1)}`
    if (common < 0.1) return `(${this.of(kind, depth - 1)} ${random.pick(["or", "and"])} ${this.of(kind, depth - 1)})`
    if (common < 0.12) return `(${this.any(depth - 1)})|default(${this.of(kind, 0)}${random.pick(["", ", true"])})`
    switch (kind) {
      case "int":
        return this.integer(depth)
      case "float":
        return this.float(depth)
      case "str":
        return this.string(depth)
      case "list":
        return this.list(depth)
      case "dict":
        return this.dict(depth)
      case "bool":
        return this.boolean(depth)
      case "any":
        return this.item(depth)
    }
  }

  private leaf(kind: Kind): string {
    const { random } = this
    if (this.variables.length > 0 && random.chance(0.2)) return random.pick(this.variables)
    if (random.chance(0.45)) return random.pick(names[kind])
    switch (kind) {
      case "int":
        return random.pick(integers)
      case "float":
        return random.pick(floats)
      case "str":
        return random.pick(strings)
      case "list":
        return random.pick([
          "[]",
          "[1, 2, 3]",
          "['b', 'a', 'C']",
          "(1, 2)",
          "('x',)",
          "[3, 1.5, true]",
          "[[1, 2], [3]]",
          "range(4)",
          "[none, 1]",
          "[{'a': 1}, {'a': 2}]"
        ])
      case "dict":
        return random.pick([
          "{}",
          "{'a': 1}",
          "{'k': 'v', 'a': [1]}",
          "{1: 2, 'x': none}",
          "dict(a=1, b='c')",
          "{'z': 1, 'Y': 2, 'x': 3}"
        ])
      case "bool":
        return random.pick(["true", "false", "True", "False"])
      case "any":
        return random.pick([...names.any, "none", "''", "[]", "0"])
    }
  }

  private args(depth: number, ...kinds: ReadonlyArray<Kind>): string {
    return kinds.map((kind) => this.of(kind, depth - 1)).join(", ")
  }

  private integer(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () => `${this.of("int", d)} ${random.pick(["+", "-", "*"])} ${this.of("int", d)}`,
      () =>
        `(${this.of("int", d)}) ${random.pick(["//", "%"])} ${random.pick(["2", "3", "-2", "7", "0", this.of("int", d)])}`,
      () => `${this.of("int", d)} ** ${random.pick(["2", "3", "0", "-1"])}`,
      () => `-${this.of("int", 0)}`,
      () => `(${this.of(random.pick(["str", "list", "dict"] as const), d)})|${random.pick(["length", "count"])}`,
      () => `(${this.of("str", d)})|int${random.pick(["", "(9)", "(0, 16)", "(base=2)", "(0, 0)"])}`,
      () => `(${this.of(random.pick(["float", "bool", "int"] as const), d)})|int`,
      () => `(${this.of("int", d)})|abs`,
      () =>
        `(${this.of("str", d)}).${random.pick(["find", "rfind", "count", "index"])}(${this.of("str", 0)}${random.pick(["", ", 1", ", -3, 5"])})`,
      () => `(${this.of("list", d)}).${random.pick(["index", "count"])}(${this.any(0)})`,
      () => `(${this.of("str", d)})|wordcount`,
      () => `([1, 5, 3] + ${this.of("list", 0)})|${random.pick(["sum", "max", "min", "first", "last"])}`,
      () =>
        `(${this.of("list", d)})|${random.pick(["sum", "max", "min"])}${random.pick(["", "(attribute='age')", "(attribute=0)"])}`
    ])()
  }

  private float(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () =>
        `${this.of("float", d)} ${random.pick(["+", "-", "*", "/"])} ${this.of(random.pick(["int", "float"] as const), d)}`,
      () => `${this.of("int", d)} / ${random.pick(["2", "3", "4", "7", this.of("int", 0)])}`,
      () => `(${this.of("float", d)}) ${random.pick(["//", "%"])} ${random.pick(["2", "0.7", "-1.5", "3"])}`,
      () =>
        `(${this.of("float", d)})|round${random.pick(["", "(1)", "(2, 'floor')", "(0, 'ceil')", "(-1)", "(precision=2)"])}`,
      () => `(${this.of(random.pick(["str", "int", "float"] as const), d)})|float${random.pick(["", "(1.5)"])}`,
      () => `(${this.of("float", d)})|abs`
    ])()
  }

  private string(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () => `${this.of("str", d)} ~ ${this.any(d)}`,
      () => `${this.of("str", d)} + ${this.of("str", d)}`,
      () => `${this.of("str", 0)} * ${random.pick(["0", "2", "3", "-1"])}`,
      () => `(${this.of("str", d)})[${this.slice(d)}]`,
      () => `(${this.of("str", d)})|${this.stringFilter(d)}`,
      () => `(${this.of("str", d)})|${this.stringFilter(d)}`,
      () => `(${this.of("str", d)}).${this.stringMethod(d)}`,
      () => `(${this.of("str", d)}).${this.stringMethod(d)}`,
      () =>
        `(${this.any(d)})|${random.pick(["string", "tojson", "pprint", "e", "tojson(indent=2)", "forceescape", "safe"])}`,
      () => `(${this.of("list", d)})|join${random.pick(["", "(',')", "(', ', attribute='name')", "(d='-')", "(1)"])}`,
      () => this.percent(d),
      () => this.format(d),
      () =>
        `(${this.of(random.pick(["int", "float", "str"] as const), d)})|filesizeformat${random.pick(["", "(true)"])}`,
      () => `(${this.of("dict", d)})|xmlattr`,
      () => `(${this.any(d)})|urlencode`
    ])()
  }

  private stringFilter(depth: number): string {
    const { random } = this
    return random.pick<() => string>([
      () =>
        random.pick([
          "upper",
          "lower",
          "title",
          "capitalize",
          "trim",
          "striptags",
          "escape",
          "e",
          "reverse",
          "urlize",
          "string",
          "wordcount",
          "first",
          "last",
          "list"
        ]),
      () => `replace(${this.args(1, "str", "str")}${random.pick(["", ", 1"])})`,
      () =>
        `truncate(${random.pick(["5", "8", "3", "10, true", "6, false, '..'", "7, true, '', 0", "length=9, leeway=0"])})`,
      () => `center(${random.pick(["10", "3", "21"])})`,
      () => `indent(${random.pick(["", "2", "'> '", "4, true", "width=3, blank=true"])})`,
      () => `wordwrap(${random.pick(["5", "8", "10, false", "6, wrapstring='|'", "7, break_on_hyphens=false"])})`,
      () => `trim(${this.of("str", 0)})`,
      () => `default(${this.of("str", depth - 1)})`
    ])()
  }

  private stringMethod(depth: number): string {
    const { random } = this
    return random.pick<() => string>([
      () =>
        `${random.pick(["upper", "lower", "title", "capitalize", "swapcase", "casefold", "strip", "lstrip", "rstrip", "expandtabs"])}()`,
      () => `${random.pick(["strip", "lstrip", "rstrip", "removeprefix", "removesuffix"])}(${this.of("str", 0)})`,
      () => `replace(${this.args(1, "str", "str")}${random.pick(["", ", 1", ", -1"])})`,
      () => `${random.pick(["center", "ljust", "rjust"])}(${random.pick(["8", "3", "12, '*'", "9, 'é'"])})`,
      () => `zfill(${random.pick(["5", "2", "12"])})`,
      () => `join(${random.pick(["['a', 'b']", "'xyz'", "[]", this.of("list", depth - 1)])})`,
      () =>
        `${random.pick(["encode", "format", "isalpha", "isdigit", "isupper", "istitle", "isspace", "isidentifier"])}()`
    ])()
  }

  private percent(depth: number): string {
    const { random } = this
    const kind = random.pick(["s", "d", "r", "x", "f", "5.1f", "05d", "-6s", "e", "g", "c", "+d", ".3s", "%"] as const)
    const value = /[dxc]$/.test(kind) ? "int" : /[feg]$/.test(kind) ? "float" : "any"
    const operand = this.of(value, depth)
    return random.pick([
      `'%${kind}' % (${operand})`,
      `'<%${kind}|%s>' % (${operand}, ${this.any(0)})`,
      `'%(a)${kind}' % {'a': ${operand}}`,
      `'%${kind}'|format(${operand})`
    ])
  }

  private format(depth: number): string {
    const { random } = this
    const spec = random.pick([
      "",
      ":>6",
      ":<5",
      ":^7",
      ":05",
      ":.2f",
      ":x",
      ":,",
      "!r",
      "!s:5",
      ":.3",
      ":+",
      ":e",
      ":%",
      ":_",
      ":b",
      ":*^9",
      ":.1%",
      ":g",
      ":c",
      ":#x",
      ":d"
    ])
    const kind = /[xbcd,_]$/.test(spec) ? "int" : /[fe%g]$|\.3$/.test(spec) ? "float" : "any"
    const operand = this.of(random.chance(0.8) ? kind : "any", depth)
    return random.pick([
      `'{${spec}}'.format(${operand})`,
      `'{0${spec}}{1}'.format(${operand}, ${this.any(0)})`,
      `'{a${spec}}'.format(a=${operand})`,
      `'{0[${random.pick(["a", "0", "name"])}]${spec}}'.format(${this.of(random.pick(["dict", "list"] as const), 0)})`,
      `'{0.${random.pick(["a", "name", "upper"])}}'.format(${this.of("dict", 0)})`
    ])
  }

  private slice(depth: number): string {
    const { random } = this
    const bound = () =>
      random.chance(0.35) ? "" : random.pick(["0", "1", "2", "-1", "-2", "5", this.of("int", depth - 1)])
    return random.chance(0.5)
      ? `${bound()}:${bound()}`
      : `${bound()}:${bound()}:${random.pick(["", "1", "2", "-1", "-2", "0"])}`
  }

  private list(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () => `[${random.many(0, 4, () => this.any(d)).join(", ")}]`,
      () => `(${random.many(1, 3, () => this.any(d)).join(", ")},)`,
      () => `${this.of("list", d)} + ${this.of("list", d)}`,
      () => `${this.of("list", d)} * ${random.pick(["0", "2", "-1"])}`,
      () => `(${this.of("list", d)})[${this.slice(d)}]`,
      () => `(${this.of("list", d)})|${this.listFilter(d)}`,
      () => `(${this.of("list", d)})|${this.listFilter(d)}|list`,
      () =>
        `(${this.of("str", d)}).${random.pick(["split()", "split(',')", "splitlines()", "split(' ', 1)", "rsplit(' ', 1)", "partition('o')", "rpartition(' ')", "split('', 1)", "splitlines(true)", "rsplit()"])}`,
      () => `(${this.of("dict", d)}).${random.pick(["keys()", "values()", "items()", "items()|list", "keys()|list"])}`,
      () =>
        `(${this.of("dict", d)})|${random.pick(["dictsort", "items", "items|list", "list", "dictsort(true)", "dictsort(by='value')", "dictsort(reverse=true)"])}`,
      () => `range(${random.pick(["3", "1, 4", "5, 0, -2", "0", this.of("int", 0)])})`,
      () => `(${this.of("str", d)})|list`
    ])()
  }

  private listFilter(depth: number): string {
    const { random } = this
    const attribute = () => random.pick(attributes)
    return random.pick<() => string>([
      () =>
        random.pick([
          "list",
          "sort",
          "reverse",
          "unique",
          "sort(reverse=true)",
          "sort(case_sensitive=true)",
          "unique(true)",
          "batch(2)|list",
          "slice(2)|list",
          "batch(3, 'x')|list",
          "slice(3, 0)|list",
          "reverse|list"
        ]),
      () =>
        `map(${random.pick(["'upper'", "'string'", "'int'", "'length'", "'default', 'x'", "'nosuch'", "'replace', 'a', 'b'", "'abs'"])})`,
      () => `map(attribute=${attribute()}${random.pick(["", ", default='-'"])})`,
      () =>
        `${random.pick(["select", "reject"])}(${random.pick(["", "'odd'", "'string'", "'none'", "'gt', 1", "'in', [1, 2]", "'defined'", "'mapping'", "'nosuch'"])})`,
      () =>
        `${random.pick(["selectattr", "rejectattr"])}(${attribute()}${random.pick(["", ", 'gt', 26", ", 'equalto', 'x'", ", 'defined'", ", 'string'"])})`,
      () => `sort(attribute=${random.pick([...attributes, "'g,age'", "'age,name'"])})`,
      () => `groupby(${attribute()}${random.pick(["", ", default='-'"])})`,
      () => `map(${random.pick(["'first'", "'last'", "'join'", "'sum'"])})`,
      () => `tojson`,
      () => `default(${this.of("list", depth - 1)}, true)`
    ])()
  }

  private dict(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () =>
        `{${random.many(0, 3, () => `${random.pick(["'a'", "'b'", "'k'", "1", "n", this.of("str", 0), "none", "(1, 2)", "1.0", "true"])}: ${this.any(d)}`).join(", ")}}`,
      () => `dict(${random.pick(["", "a=1", "{'x': 1}, y=2", "[('p', 1)]", this.of("dict", 0)])})`,
      () => `(${this.of("dict", d)}).copy()`,
      () => `(${this.of("list", d)})|first`,
      () => `dict.fromkeys(${this.of("list", 0)}, 0)`
    ])()
  }

  private boolean(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () =>
        `(${this.of("int", d)} ${random.pick(["<", ">", "<=", ">=", "==", "!="])} ${this.of(random.pick(["int", "float"] as const), d)})`,
      () => `(${this.any(d)} ${random.pick(["==", "!="])} ${this.any(d)})`,
      () => `(${this.of("str", d)} ${random.pick(["<", ">=", "==", "in", "not in"])} ${this.of("str", d)})`,
      () => `(${this.any(d)} ${random.pick(["in", "not in"])} ${this.of(random.pick(["list", "dict"] as const), d)})`,
      () => `not ${this.of("bool", d)}`,
      () => `(${this.of("int", 0)} < ${this.of("int", 0)} ${random.pick(["<", "<=", "!="])} ${this.of("int", 0)})`,
      () =>
        `(${this.any(d)}) is ${random.pick(["", "not "])}${random.pick(["defined", "undefined", "none", "string", "number", "mapping", "sequence", "iterable", "integer", "float", "boolean", "true", "false", "callable", "odd", "even", "upper", "lower", "escaped", "sameas none", "eq 1", "divisibleby 3", "in [1, 'a']", "filter", "test", "divisibleby(2)", "gt(2)"])}`,
      () =>
        `(${this.of("str", d)}).${random.pick(["startswith", "endswith"])}(${random.pick(["'a'", "('H', 'x')", this.of("str", 0)])})`,
      () =>
        `(${this.of("str", d)}).${random.pick(["isalpha", "isdigit", "isupper", "islower", "isalnum", "isnumeric", "isdecimal", "isascii", "isprintable"])}()`
    ])()
  }

  private item(depth: number): string {
    const { random } = this
    const d = depth - 1
    return random.pick<() => string>([
      () => `(${this.of("dict", d)})[${random.pick(["'a'", "'k'", "1", this.of("str", 0)])}]`,
      () => `(${this.of("dict", d)}).${random.pick(["a", "k", "nope", "name", "items", "__class__", "get"])}`,
      () =>
        `(${this.of("dict", d)}).${random.pick(["get('a')", "get('q', 1)", "pop('a')", "pop('q', 0)", "setdefault('n', 2)", "popitem()", "update({'z': 1})", "clear()"])}`,
      () => `(${this.of("list", d)})[${random.pick(["0", "-1", "1", "5", "'a'"])}]`,
      () => `(${this.of("list", d)})|${random.pick(["first", "last"])}`,
      () =>
        `(${this.of("list", d)}).${random.pick(["append(1)", "pop()", "extend([1])", "insert(0, 'x')", "reverse()", "sort()", "remove(1)", "copy()"])}`,
      () => `(${this.any(d)})|attr(${random.pick(["'upper'", "'name'", "'__class__'", "'a'"])})`,
      () => `(${this.of("str", d)}).${random.pick(["upper", "nope", "__len__", "format"])}`,
      () => `namespace(a=${this.any(0)}).a`,
      () => `${this.any(d)} ~ ${this.any(d)}`,
      () => `(${this.any(d)})()`,
      () =>
        `${random.pick(["range", "dict", "cycler", "joiner", "namespace"])}${random.pick(["", "()", "(1)", "('a', 'b')"])}`
    ])()
  }
}

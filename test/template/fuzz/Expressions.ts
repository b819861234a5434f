/** Makes random expressions that mostly fit together: each kind of value has its own producers. */
import type { Random } from "./Random.ts"
import { makeText } from "./TextExpressions.ts"
import { type Kind, attributes, kinds, literals, names } from "./Vocabulary.ts"

export class Expressions {
  readonly random: Random
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
        return makeText(this, depth)
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
    return random.pick(random.chance(0.45) ? names[kind] : literals[kind])
  }

  args(depth: number, ...kinds: ReadonlyArray<Kind>): string {
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

  slice(depth: number): string {
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

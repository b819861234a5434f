/** Makes random expressions that are text. */
import type { Expressions } from "./Expressions.ts"

export const makeText = (make: Expressions, depth: number): string => {
  const { random } = make
  const d = depth - 1
  return random.pick<() => string>([
    () => `${make.of("str", d)} ~ ${make.any(d)}`,
    () => `${make.of("str", d)} + ${make.of("str", d)}`,
    () => `${make.of("str", 0)} * ${random.pick(["0", "2", "3", "-1"])}`,
    () => `(${make.of("str", d)})[${make.slice(d)}]`,
    () => `(${make.of("str", d)})|${filter(make, d)}`,
    () => `(${make.of("str", d)})|${filter(make, d)}`,
    () => `(${make.of("str", d)}).${method(make, d)}`,
    () => `(${make.of("str", d)}).${method(make, d)}`,
    () =>
      `(${make.any(d)})|${random.pick(["string", "tojson", "pprint", "e", "tojson(indent=2)", "forceescape", "safe"])}`,
    () => `(${make.of("list", d)})|join${random.pick(["", "(',')", "(', ', attribute='name')", "(d='-')", "(1)"])}`,
    () => percent(make, d),
    () => format(make, d),
    () => `(${make.of(random.pick(["int", "float", "str"] as const), d)})|filesizeformat${random.pick(["", "(true)"])}`,
    () => `(${make.of("dict", d)})|xmlattr`,
    () => `(${make.any(d)})|urlencode`
  ])()
}

const filter = (make: Expressions, depth: number): string => {
  const { random } = make
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
    () => `replace(${make.args(1, "str", "str")}${random.pick(["", ", 1"])})`,
    () =>
      `truncate(${random.pick(["5", "8", "3", "10, true", "6, false, '..'", "7, true, '', 0", "length=9, leeway=0"])})`,
    () => `center(${random.pick(["10", "3", "21"])})`,
    () => `indent(${random.pick(["", "2", "'> '", "4, true", "width=3, blank=true"])})`,
    () => `wordwrap(${random.pick(["5", "8", "10, false", "6, wrapstring='|'", "7, break_on_hyphens=false"])})`,
    () => `trim(${make.of("str", 0)})`,
    () => `default(${make.of("str", depth - 1)})`
  ])()
}

const method = (make: Expressions, depth: number): string => {
  const { random } = make
  return random.pick<() => string>([
    () =>
      `${random.pick(["upper", "lower", "title", "capitalize", "swapcase", "casefold", "strip", "lstrip", "rstrip", "expandtabs"])}()`,
    () => `${random.pick(["strip", "lstrip", "rstrip", "removeprefix", "removesuffix"])}(${make.of("str", 0)})`,
    () => `replace(${make.args(1, "str", "str")}${random.pick(["", ", 1", ", -1"])})`,
    () => `${random.pick(["center", "ljust", "rjust"])}(${random.pick(["8", "3", "12, '*'", "9, 'é'"])})`,
    () => `zfill(${random.pick(["5", "2", "12"])})`,
    () => `join(${random.pick(["['a', 'b']", "'xyz'", "[]", make.of("list", depth - 1)])})`,
    () =>
      `${random.pick(["encode", "format", "isalpha", "isdigit", "isupper", "istitle", "isspace", "isidentifier"])}()`
  ])()
}

const percent = (make: Expressions, depth: number): string => {
  const { random } = make
  const kind = random.pick(["s", "d", "r", "x", "f", "5.1f", "05d", "-6s", "e", "g", "c", "+d", ".3s", "%"] as const)
  const value = /[dxc]$/.test(kind) ? "int" : /[feg]$/.test(kind) ? "float" : "any"
  const operand = make.of(value, depth)
  return random.pick([
    `'%${kind}' % (${operand})`,
    `'<%${kind}|%s>' % (${operand}, ${make.any(0)})`,
    `'%(a)${kind}' % {'a': ${operand}}`,
    `'%${kind}'|format(${operand})`
  ])
}

const format = (make: Expressions, depth: number): string => {
  const { random } = make
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
  const operand = make.of(random.chance(0.8) ? kind : "any", depth)
  return random.pick([
    `'{${spec}}'.format(${operand})`,
    `'{0${spec}}{1}'.format(${operand}, ${make.any(0)})`,
    `'{a${spec}}'.format(a=${operand})`,
    `'{0[${random.pick(["a", "0", "name"])}]${spec}}'.format(${make.of(random.pick(["dict", "list"] as const), 0)})`,
    `'{0.${random.pick(["a", "name", "upper"])}}'.format(${make.of("dict", 0)})`
  ])
}

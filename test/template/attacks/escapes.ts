/** Ways out to JavaScript or Python, and into what others share; text that would become code. */
import type { Attack } from "./attacks.ts"

/** Runs code where an identifier is pasted into generated JavaScript. */
const bt = "Function`globalThis\\x2ePWN\\x3d1```"

export const escapes: ReadonlyArray<Attack> = [
  ["ctor range", '{{ range.constructor("globalThis.PWN=1")() }}'],
  ["ctor cycler", '{{ cycler.constructor("globalThis.PWN=1")() }}'],
  ["ctor joiner", '{{ joiner.constructor("globalThis.PWN=1")() }}'],
  ["string.constructor", '{{ "".sub.constructor("globalThis.PWN=1")() }}'],
  ["[].constructor", '{{ [].constructor.constructor("globalThis.PWN=1")() }}'],
  ["array method ctor", '{{ [].map.constructor("globalThis.PWN=1")() }}'],
  ["bracket ctor", '{{ xs["con" ~ "structor"]["con" ~ "structor"]("globalThis.PWN=1")() }}'],
  ["__proto__", '{{ d.__proto__.constructor.constructor("globalThis.PWN=1")() }}'],
  ["global toString", '{{ toString.constructor("globalThis.PWN=1")() }}'],
  ["global constructor", '{{ constructor.constructor("globalThis.PWN=1")() }}'],
  ["global __proto__", '{{ __proto__.constructor.constructor("globalThis.PWN=1")() }}'],
  ["macro ctor", '{% macro m() %}{% endmacro %}{{ m.constructor("globalThis.PWN=1")() }}'],
  [
    "caller ctor",
    '{% macro m() %}{{ caller.constructor("globalThis.PWN=1")() }}{% endmacro %}{% call m() %}{% endcall %}'
  ],
  ["loop ctor", '{% for x in xs %}{{ loop.constructor.constructor("globalThis.PWN=1")() }}{% endfor %}'],
  ["cycler().next ctor", '{{ cycler(1).next.constructor("globalThis.PWN=1")() }}'],
  ["super", '{% block a %}{{ super.constructor("globalThis.PWN=1")() }}{% endblock %}'],
  ["number ctor", '{{ (1).toFixed.constructor("globalThis.PWN=1")() }}'],
  ["regex ctor", '{{ r/x/.constructor.constructor("globalThis.PWN=1")() }}'],
  ["safe str ctor", '{{ ("x"|safe).constructor.constructor("globalThis.PWN=1")() }}'],
  ["bind/call/apply", '{{ range.call.constructor("globalThis.PWN=1")() }}'],
  [
    "filter valueOf leaks Context",
    '{% set c = 1|valueOf %}{{ c.env.globals.range.constructor("globalThis.PWN=1")() }}'
  ],
  ["filter constructor", '{{ "x"|constructor }}'],
  ["filter __defineGetter__", '{{ "x"|__defineGetter__(range) }}{{ x }}'],
  ["filter toString", "{{ 1|toString }}"],
  ["test proto", "{{ 1 is hasOwnProperty }}"],
  ["sort attr constructor", '{{ [name]|sort(attribute="constructor") }}'],
  ["groupby constructor", '{{ xs|groupby("constructor")|dump }}'],
  ["selectattr proto", '{{ xs|selectattr("constructor")|length }}'],
  ["join attr getter", '{{ [range]|join(",", "constructor") }}'],
  ["sum attr proto", '{{ [range]|sum("constructor") }}'],
  ["attr filter", '{{ name|attr("constructor") }}'],
  ["map attribute", '{{ xs|map(attribute="constructor")|first }}'],
  ["format dunder", "{{ '{0.constructor}'.format(name) }}"],
  ["pollute via for loop", "{% for loop in [__proto__] %}{% endfor %}{{ ({}).index0 }}"],
  ["pollute set __proto__", '{% set __proto__ = {"PWN2":1} %}{{ PWN2 }}'],
  ["dict __proto__ literal", '{% set q = {"__proto__": {"PWN2": 1}} %}{{ q.PWN2 }}'],
  ["update __proto__", '{{ d.update({"__proto__": {"PWN2": 1}}) }}{{ d.PWN2 }}'],
  ["setdefault ctor", '{{ d.setdefault("constructor", 1) }}'],
  ["defineProperty", '{{ constructor.defineProperty(__proto__,"PWN",{"value":1}) }}'],
  ["assign", '{{ constructor.assign(constructor.prototype, {"PWN3":1}) }}'],
  ["asyncEach", "{% asyncEach x in [1] %}{{ x }}{% endeach %}"],
  ["include file", '{% include "/etc/passwd" %}'],
  ["import file", '{% import "../../etc/passwd" as x %}'],
  ["extends obj", '{% extends {"raw":"/etc/passwd"} %}'],
  ["symbol coercion", '{{ d[{"toString": range}] }}'],
  ["proxy key", '{{ d[[["constructor"]]] }}'],
  ["fields of our Dict", "{{ d.map }}{{ d.json }}{{ d.keyValues }}{{ d.size }}{{ d.typeName }}{{ d.entriesMap }}"],
  ["methods of our Dict", "{{ d.getName }}{{ d.set }}{{ d.delete }}{{ d.entries }}{{ d.attribute }}{{ d.repr }}"],
  ["length of JavaScript", "{{ xs.length }}{{ s.length }}{{ xs.push }}{{ s.charCodeAt }}{{ s.at }}"],
  ["insides of a float", "{{ (1.5).value }}{{ (1.5).toString }}"],
  ["insides of Markup", "{{ ('x'|safe).text }}{{ ('x'|safe).toString }}"],
  ["insides of a tuple", "{{ (1, 2).items }}{{ (1, 2).weight }}"],
  ["insides of a namespace", "{{ namespace(a=1).names }}{{ namespace(a=1).attribute }}"],
  ["insides of a global", "{{ range.native }}{{ range.call }}{{ range.shown }}{{ dict.native }}"],
  ["insides of a macro", "{% macro m() %}{% endmacro %}{{ m.body }}{{ m.shape }}{{ m.call }}{{ m.bind }}"],
  [
    "insides of a loop",
    "{% for x in xs %}{{ loop.runtime }}{{ loop.next }}{{ loop.recurse }}{{ loop.advance }}{% endfor %}"
  ],
  ["insides of self", "{% block a %}{{ self.blocks }}{{ self.names }}{{ self.a.block }}{% endblock %}"],
  ["insides of a bound method", "{{ 'a'.upper.self }}{{ 'a'.upper.method }}{{ 'a'.upper.call }}"],
  ["insides of a generator", "{{ (xs|map('string')).next }}{{ (xs|map('string')).label }}"],
  ["insides of undefined", "{{ (nope|attr('__x__')).fault }}"],
  ["insides of a range", "{{ range(3).length }}{{ range(3).at }}{{ range(3).size }}"],
  ["private field by item", "{{ d['json'] }}{{ d['map'] }}{{ xs['length'] }}{{ s['constructor'] }}"],
  ["private field by filter", "{{ d|attr('json') }}{{ xs|attr('length') }}{{ d|attr('__proto__') }}"],
  ["private field by map", "{{ [d]|map(attribute='json.a')|list }}{{ [xs]|map(attribute='length')|list }}"],
  ["private field by format", "{{ '{0.json}{0[json]}{0.__proto__}'.format(d) }}"],
  ["private field by format_map", "{{ '{a.constructor}{a.json}'.format_map({'a': d}) }}"],
  ["prototype by get", "{{ d.get('__proto__') }}{{ d.get('constructor') }}{{ d.get('toString') }}"],
  ["prototype by keyword", "{% set q = dict(__proto__=1) %}{{ q }}{{ {}.PWN }}"],
  ["prototype by double star", "{{ dict(**{'__proto__': {'PWN': 1}}) }}{{ {}.PWN }}"],
  [
    "prototype by namespace",
    "{% set ns = namespace() %}{% set ns.__proto__ = {'PWN': 1} %}{{ ns.PWN }}{{ ns['__proto__'] }}"
  ],
  [
    "prototype by parameter",
    "{% macro m(__proto__, constructor) %}{{ __proto__ }}{{ constructor }}{% endmacro %}{{ m(1, 2) }}"
  ],
  [
    "prototype by macro name",
    "{% macro __proto__() %}x{% endmacro %}{% macro toString() %}y{% endmacro %}{{ __proto__() }}{{ toString() }}"
  ],
  [
    "prototype by variable",
    "{% set constructor = 1 %}{% set __proto__ = 2 %}{{ constructor }}{{ __proto__ }}{{ hasOwnProperty }}"
  ],
  [
    "prototype by block name",
    "{% block __proto__ %}{{ self.__proto__ }}{% endblock %}{% block constructor %}{{ self.constructor }}{% endblock %}"
  ],
  ["prototype by loop variable", "{% for __proto__ in [{'PWN': 1}] %}{{ __proto__.PWN }}{% endfor %}{{ {}.PWN }}"],
  ["prototype by setdefault", "{% set _ = d.setdefault('__proto__', {'PWN': 1}) %}{{ {}.PWN }}{{ d['PWN'] }}"],
  ["filter by computed name", "{{ [1]|map('constructor')|list }}"],
  ["filter by prototype name", "{{ [1]|map('__proto__')|list }}"],
  ["test by prototype name", "{{ [1]|select('__proto__')|list }}"],
  ["registry of filters", "{{ 'constructor' is filter }}{{ 'toString' is test }}{{ '__proto__' is filter }}"],
  ["Python's class chain", "{{ ''.__class__.__mro__[1].__subclasses__() }}"],
  ["Python's globals", "{{ lipsum.__globals__.os.popen('id').read() }}"],
  ["Python's globals by joiner", "{{ joiner.__init__.__globals__.os }}"],
  ["Python's globals by self", "{{ self.__init__.__globals__.__builtins__ }}"],
  ["Python's reduce", "{{ [].__reduce__(4) }}"],
  ["class by concatenation", "{{ ''|attr('__cl' ~ 'ass__')|attr('__mro__') }}"],
  ["class by item", "{{ ()['__class__']['__base__'] }}"],
  ["class by escape", "{{ d['\\x5f\\x5fclass\\x5f\\x5f'].x }}"],
  ["class by format", "{{ '{0.__class__.__mro__}'.format('') }}"],
  ["full-width name", "{{ d.\uff43onstructor }}{{ d.__\uff43lass__ }}"],
  ["caller from outside", "{{ caller }}{{ varargs }}{{ kwargs }}{{ loop }}{{ super }}"],
  [
    "environment by name",
    "{{ environment }}{{ runtime }}{{ frame }}{{ process }}{{ globalThis }}{{ require }}{{ import }}"
  ],
  ["callable in the context", "{{ o.f() }}{{ o() }}"],
  ["call of a value", "{{ 'Function'('return 1')() }}"],
  ["sort by a JavaScript key", "{{ [d, d]|sort(attribute='constructor.name') }}"],
  ["list.sort by a builtin", "{% set _ = xs.sort(key=range) %}{{ xs }}"]
]

export const injections: ReadonlyArray<Attack> = [
  ["symbol", '{{ a"^' + bt + '^" }}'],
  ["test name", '{{ 1 is x"^' + bt + '^" }}'],
  ["filter name", '{{ 1|x"^' + bt + '^" }}'],
  ["for target", '{% for a"^' + bt + '^" in [1] %}{% endfor %}'],
  ["set target", '{% set a"^' + bt + '^" = 1 %}'],
  ["macro name", '{% macro a"^' + bt + '^"() %}{% endmacro %}'],
  ["macro arg", '{% macro m(a=1,b"^' + bt + '^"=2) %}{% endmacro %}{{ m() }}'],
  ["block name", "{% block a`${x}` %}{% endblock %}"],
  ["getNodeName", '{{ x["\\\\\\",0,[])),0);globalThis.PWN=1//"]() }}'],
  ["import alias", '{% import "x" as a"^' + bt + '^" %}'],
  ["from import", '{% from "x" import a"^' + bt + '^" %}'],
  ["u2028/comment", '{{ "\u2028*/globalThis.PWN=1//" }}{# */ globalThis.PWN=1 /* #}'],
  ["newline name", '{% set a\n=1 %}{{ "\\\n" }}'],
  ["name of a filter argument", '{{ 1|round(a"^` + bt + `^"=1) }}'],
  ["name of a keyword", "{{ dict(a`${1}`=1) }}"],
  ["name of a namespace field", "{% set ns = namespace() %}{% set ns.a`b = 1 %}"]
]

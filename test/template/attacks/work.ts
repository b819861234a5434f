/** Work and memory without end. */
import type { Attack } from "./attacks.ts"

export const work: ReadonlyArray<Attack> = [
  ["range 1e9", "{% for i in range(1000000000) %}x{% endfor %}"],
  [
    "nested loops",
    "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}"
  ],
  ["doubling", '{% set a="xxxxxxxxxx" %}{% for i in range(60) %}{% set a = a ~ a %}{% endfor %}{{ a|length }}'],
  [
    "doubling ns",
    '{% set ns=namespace(a="xxxxxxxxxx") %}{% for i in range(60) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}{{ ns.a|length }}'
  ],
  ["list doubling", "{% set ns=namespace(a=[1]) %}{% for i in range(60) %}{% set ns.a = ns.a + ns.a %}{% endfor %}"],
  [
    "billion laughs repr",
    "{% set ns=namespace(a=[1,1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ ns.a }}"
  ],
  [
    "laughs tojson",
    "{% set ns=namespace(a=[1,1]) %}{% for i in range(40) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ ns.a|tojson }}"
  ],
  [
    "laughs eq",
    "{% set ns=namespace(a=[1,1],b=[1,1]) %}{% for i in range(40) %}{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}"
  ],
  ["self cycle", "{% set a=[] %}{% set _=a.append(a) %}{{ a }}"],
  ["macro recursion", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"],
  [
    "macro fanout",
    "{% macro m(n) %}{% if n %}{{ m(n-1) }}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(40) }}"
  ],
  ["center 1e9", '{{ "x"|center(1000000000) }}'],
  ["indent 1e9", '{{ "x\\ny"|indent(1000000000) }}'],
  ["ljust", '{{ "x".ljust(1000000000) }}'],
  ["zfill", '{{ "x".zfill(1000000000) }}'],
  ["format width", "{{ '{:>1000000000}'.format(1) }}"],
  ["printf width", "{{ '%1000000000d' % 1 }}"],
  ["printf prec", "{{ '%.1000000000f' % 1 }}"],
  ["str mul", '{{ "x" * 10000000000 }}'],
  ["list mul", "{{ [0] * 10000000000 }}"],
  ["empty mul", "{{ [] * 10000000000000000000 }}"],
  ["pow", "{{ 10 ** 10 ** 10 }}{{ 9**999999999 }}"],
  ["pow chain", "{% set ns=namespace(a=9) %}{% for i in range(99) %}{% set ns.a = ns.a ** 9 %}{% endfor %}"],
  ["batch fill", "{{ [1]|batch(1000000000, 0)|list|length }}"],
  ["slice n", "{{ [1]|slice(1000000000)|list|length }}"],
  [
    "replace blowup",
    '{% set ns=namespace(a="aaaaaaaaaa") %}{% for i in range(20) %}{% set ns.a = ns.a|replace("a", "aaaaaaaaaa") %}{% endfor %}{{ ns.a|length }}'
  ],
  ["replace empty", '{% set a = "x" * 100000 %}{{ a|replace("", a) }}'],
  ["regex literal", '{{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"|replace(r/(a+)+$/g, "x") }}'],
  ["join", '{% set a = "x" * 100000 %}{{ (range(10000)|list)|join(a) }}'],
  [
    "find n*m",
    '{% set h = "a" * 2000000 %}{% set x = "b" ~ "a" * 999999 %}{% for i in range(50) %}{{ x in h }}{% endfor %}'
  ],
  ["sort", "{% for i in range(9999) %}{% set x = range(99999)|list|sort(reverse=true) %}{% endfor %}"],
  ["trim", '{% set a = " " * 1000000 %}{% for i in range(1000) %}{{ (a ~ "x" ~ a ~ "x")|trim|length }}{% endfor %}'],
  ["striptags", '{% set a = "<a" * 50000 %}{{ a|striptags|length }}'],
  ["urlize", '{% set a = "x." * 50000 %}{{ a|urlize|length }}'],
  [
    "wordcount loop",
    '{% set a = "x " * 100000 %}{% for i in range(100000) %}{% if a|wordcount %}{% endif %}{% endfor %}'
  ],
  ["truncate", '{% set a = "x " * 500000 %}{% for i in range(100000) %}{% set b = a|truncate(9) %}{% endfor %}'],
  ["slices", '{% set a = "x" * 1000000 %}{% for i in range(100000) %}{% set b = a[::-1] %}{% endfor %}'],
  ["int parse", '{{ ("9" * 1000000)|int }}'],
  ["random text", "{% for i in range(99999) %}{{ lipsum(n=100) }}{% endfor %}"],
  ["output", "{% for i in range(100000) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}"],
  ["self block", "{% block a %}{{ self.a() }}{% endblock %}"],
  ["recursive loop", "{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}"],
  ["call nest", "{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}"],
  ["upper big", '{% set a = "ß" * 1000000 %}{% for i in range(9999) %}{% set b = a.upper() %}{% endfor %}'],
  ["wordwrap", '{% set a = "x " * 300000 %}{% for i in range(9999) %}{% set b = a|wordwrap(1) %}{% endfor %}'],
  [
    "pprint",
    "{% set ns=namespace(a=[1,1]) %}{% for i in range(30) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ ns.a|pprint|length }}"
  ],
  ["lstrip set", '{% set a = "x" * 1000000 %}{% for i in range(9999) %}{% set b = a.strip(a) %}{% endfor %}'],
  ["splitlines", '{% set a = "\\n" * 300000 %}{% for i in range(9999) %}{% set b = a.splitlines() %}{% endfor %}'],
  [
    "rfind",
    '{% set h = "a" * 1000000 %}{% set x = "a" * 300000 ~ "b" %}{% for i in range(9999) %}{% set b = h.rfind(x) %}{% endfor %}'
  ],
  ["titlecase", '{% set h = "a" * 1000000 %}{% for i in range(9999) %}{% set b = h|title %}{% endfor %}'],
  ["isalpha", '{% set h = "a" * 1000000 %}{% for i in range(9999) %}{% set b = h.isalpha() %}{% endfor %}'],
  [
    "isspace",
    '{% set h = " " * 1000000 ~ "x" %}{% for i in range(9999) %}{% set b = h.isspace() or h.startswith(h) %}{% endfor %}'
  ],
  ["len surrogate", '{% set h = "😀" * 500000 %}{% for i in range(9999) %}{% set b = h|length %}{% endfor %}'],
  ["idx surrogate", '{% set h = "😀" * 500000 %}{% for i in range(9999) %}{% set b = h[5] %}{% endfor %}'],
  ["escape", '{% set h = "<" * 500000 %}{% for i in range(9999) %}{% set b = h|e %}{% endfor %}'],
  [
    "string eq",
    '{% set h = "a" * 1000000 %}{% set g = "a" * 1000000 %}{% for i in range(99999) %}{% set b = h == g %}{% endfor %}'
  ],
  ["list copy", "{% set h = range(90000)|list %}{% for i in range(9999) %}{% set b = h[:] == h %}{% endfor %}"],
  ["dict key", '{% set h = "a" * 1000000 %}{% for i in range(99999) %}{% set b = {h: 1} %}{% endfor %}'],
  ["insert(0)", "{% set h = range(90000)|list %}{% for i in range(99999) %}{% set b = h.insert(0, 1) %}{% endfor %}"],
  [
    "remove",
    "{% set h = range(90000)|list %}{% for i in range(99999) %}{% set b = 5 in h[:1] or h.index(89999) %}{% endfor %}"
  ],
  ["printf many", "{% set f = '%s' * 100000 %}{% for i in range(999) %}{% set b = f % ([1]*1) %}{% endfor %}"],
  ["format many", "{% set f = '{0}' * 100000 %}{% for i in range(999) %}{% set b = f.format(1) %}{% endfor %}"],
  ["expandtabs", '{% set f = "\\t" * 1000 %}{{ f.expandtabs(100000000) }}'],
  ["center fill", '{{ "x".center(9, "y" * 1000000)|length }}'],
  ["bigint mul", "{% set ns=namespace(a=2**4000) %}{% for i in range(99999) %}{% set b = ns.a * 1 // 3 %}{% endfor %}"],
  ["bigint str", '{% set a = 2**4000 %}{% for i in range(99999) %}{% set b = a ~ "" %}{% endfor %}'],
  [
    "text by one character",
    "{% set ns = namespace(s='') %}{% for i in range(99999) %}{% set ns.s = ns.s ~ 'x' %}{% endfor %}"
  ],
  ["list grown while it is read", "{% for x in xs %}{% set _ = xs.append(x) %}{% endfor %}"],
  ["list extended by itself", "{% for x in range(99) %}{% set _ = xs.extend(xs) %}{% endfor %}"],
  ["dict grown while it is read", "{% for k in d %}{% set _ = d.update({k ~ 'x': 1}) %}{% endfor %}"],
  [
    "tuples in tuples as a key",
    "{% set ns = namespace(t=(1, 2)) %}{% for i in range(60) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}{{ {ns.t: 1} }}"
  ],
  [
    "deep tuple as a key",
    "{% set ns = namespace(t=(1,)) %}{% for i in range(30000) %}{% set ns.t = (ns.t,) %}{% endfor %}{{ {ns.t: 1}|length }}"
  ],
  [
    "deep list printed",
    "{% set ns = namespace(t=[1]) %}{% for i in range(30000) %}{% set ns.t = [ns.t] %}{% endfor %}{{ ns.t }}"
  ],
  [
    "deep list compared",
    "{% set ns = namespace(t=[1], u=[1]) %}{% for i in range(9000) %}{% set ns.t = [ns.t] %}{% set ns.u = [ns.u] %}{% endfor %}{{ ns.t == ns.u }}{{ ns.t < ns.u }}"
  ],
  [
    "deep list as JSON",
    "{% set ns = namespace(t=[1]) %}{% for i in range(30000) %}{% set ns.t = [ns.t] %}{% endfor %}{{ ns.t|tojson }}"
  ],
  [
    "deep list pretty",
    "{% set ns = namespace(t=['x' * 99]) %}{% for i in range(90) %}{% set ns.t = [ns.t] %}{% endfor %}{{ ns.t|pprint|length }}"
  ],
  [
    "list in itself compared",
    "{% set a = [] %}{% set b = [] %}{% set _ = a.append(a) %}{% set _ = b.append(b) %}{{ a == b }}"
  ],
  ["list in itself as JSON", "{% set a = [] %}{% set _ = a.append(a) %}{{ a|tojson }}"],
  [
    "list in itself looped",
    "{% set a = [1] %}{% set _ = a.append(a) %}{% for x in a recursive %}{{ loop(a) }}{% endfor %}"
  ],
  ["namespace in itself", "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}"],
  [
    "generators in generators",
    "{% set ns = namespace(g=xs) %}{% for i in range(30000) %}{% set ns.g = ns.g|map('string') %}{% endfor %}{{ ns.g|list }}"
  ],
  ["map of map of map", "{{ [[[1] * 100] * 100] * 100|map('map', 'map', 'string')|map('list')|list|length }}"],
  [
    "mutual macros",
    "{% macro a(n) %}{{ b(n) }}{% endmacro %}{% macro b(n) %}{{ a(n) }}{{ a(n) }}{% endmacro %}{{ a(1) }}"
  ],
  ["macro by default argument", "{% macro m(a=m) %}{{ a() }}{% endmacro %}{{ m() }}"],
  [
    "caller of caller",
    "{% macro m() %}{{ caller() }}{{ caller() }}{% endmacro %}" +
      "{% call m() %}".repeat(20) +
      "x" +
      "{% endcall %}".repeat(20)
  ],
  [
    "blocks by self",
    "{% block a %}{{ self.b() }}{{ self.b() }}{% endblock %}{% block b %}{{ self.a() }}{% endblock %}"
  ],
  [
    "large frame",
    "{% macro m() %}" +
      Array.from({ length: 1500 }, (_, i) => `{% set a${i}=1 %}`).join("") +
      "{% endmacro %}{% for i in range(99999) %}{{ m() }}{% endfor %}"
  ],
  [
    "names that a loop resolves",
    "{% for i in range(99999) %}{% if false %}" +
      Array.from({ length: 2000 }, (_, i) => `{{ a${i} }}`).join("") +
      "{% endif %}{% endfor %}"
  ],
  ["precision of a float", "{{ '%.9999999f' % 1.5 }}{{ '{:.9999999e}'.format(1.5) }}"],
  ["many precisions", "{% for i in range(9999) %}{% set b = '%.100000f' % 1.5 %}{% endfor %}"],
  ["round to anywhere", "{{ 1.5|round(999999999) }}{{ 1.5|round(-999999999) }}{{ 15|round(-999999999) }}"],
  ["integer from long text", "{% set a = '9' * 4300 %}{% for i in range(9999) %}{% set b = a|int %}{% endfor %}"],
  [
    "integer in another base",
    "{% set a = 'f' * 4000 %}{% for i in range(9999) %}{% set b = a|int(0, 16) %}{% endfor %}"
  ],
  [
    "division of large integers",
    "{% set a = 2**4000 %}{% set c = 3**2000 %}{% for i in range(99999) %}{% set b = a / c %}{% endfor %}"
  ],
  ["power of a large integer", "{% set a = 2**4000 %}{% for i in range(99999) %}{% set b = a ** 1 % 7 %}{% endfor %}"],
  ["message with a huge key", "{{ d['x' * 1000000].y }}"],
  ["message with a huge list", "{{ d[(1,) * 90000].y }}"],
  ["wordwrap with a long break", "{{ ('x ' * 9999)|wordwrap(1, wrapstring='y' * 99999) }}"],
  ["wordwrap at every hyphen", "{{ ('a-' * 90000)|wordwrap(3)|length }}"],
  ["wordwrap of dashes", "{{ ('-' * 200000)|wordwrap(7)|length }}"],
  ["indented JSON", "{{ range(9999)|list|tojson(indent='y' * 9999) }}"],
  ["pretty with a long key", "{{ {'k' * 90000: range(9999)|list}|pprint }}"],
  ["striptags of openings", "{{ ('<!--' * 100000)|striptags|length }}{{ ('<' * 300000)|striptags|length }}"],
  ["striptags of entities", "{{ ('&' * 200000)|striptags|length }}{{ ('&#1' * 60000)|striptags|length }}"],
  ["urlize of brackets", "{{ ((')' * 4000 ~ ' ') * 60)|urlize|length }}{{ (('(' * 4000 ~ ' ') * 60)|urlize|length }}"],
  ["urlize of labels", "{{ (('www.' ~ 'a.' * 2000 ~ ' ') * 60)|urlize|length }}"],
  ["urlize of signs", "{{ (('a@' * 2000 ~ ' ') * 60)|urlize|length }}"],
  ["urlize with a long rel", "{{ ('http://a.com ' * 20000)|urlize(rel='x' * 1000)|length }}"],
  ["xmlattr of many", "{% set q = dict.fromkeys(range(50000)|map('string'), '<' * 50) %}{{ q|xmlattr|length }}"],
  [
    "escape of escapes",
    "{% set ns = namespace(a='<' * 1000) %}{% for i in range(99) %}{% set ns.a = ns.a|forceescape|string %}{% endfor %}{{ ns.a|length }}"
  ],
  ["translate to long texts", "{{ ('a' * 10000).translate({97: 'x' * 10000})|length }}"],
  ["format of braces", "{{ ('{' * 300000).format() }}"],
  ["format of doubled braces", "{% for i in range(999) %}{% set b = ('{{' * 100000).format() %}{% endfor %}"],
  ["percent of parentheses", "{{ ('%(' * 200000) % {} }}"],
  ["percent of stars", "{{ '%*.*f' % (999999999, 999999999, 1.5) }}"],
  [
    "varargs",
    "{% macro m() %}{{ varargs|length }}{% endmacro %}{% for i in range(999) %}{{ m(*range(99999)) }}{% endfor %}"
  ],
  [
    "keywords",
    "{% macro m() %}{{ kwargs|length }}{% endmacro %}{% set q = dict.fromkeys(range(20000)|map('string'), 1) %}{% for i in range(999) %}{{ m(**q) }}{% endfor %}"
  ],
  [
    "dict views compared",
    "{% set q = dict.fromkeys(range(9999), 1) %}{% for i in range(999) %}{% set b = q.items() == q.copy().items() %}{% endfor %}"
  ],
  [
    "popitem of many",
    "{% set q = dict.fromkeys(range(60000), 1) %}{% for i in range(60000) %}{% set b = q.popitem() %}{% endfor %}"
  ],
  ["sort of lists", "{% set q = [[1] * 5000] * 200 %}{% for i in range(99) %}{% set b = q|sort %}{% endfor %}"],
  ["sort of long texts", "{% set q = ['a' * 100000] * 19 %}{% for i in range(999) %}{% set b = q|sort %}{% endfor %}"],
  [
    "unique of long texts",
    "{% set q = ['a' * 100000] * 19 %}{% for i in range(999) %}{% set b = q|unique|list %}{% endfor %}"
  ],
  ["groupby of many", "{% for i in range(99) %}{% set b = range(20000)|list|groupby('x') %}{% endfor %}"],
  ["count of texts", "{% set a = 'ab' * 500000 %}{% for i in range(9999) %}{% set b = a.count('b') %}{% endfor %}"],
  [
    "replace of texts",
    "{% set a = 'ab' * 200000 %}{% for i in range(9999) %}{% set b = a.replace('b', 'c') %}{% endfor %}"
  ],
  ["split of texts", "{% set a = 'a,' * 200000 %}{% for i in range(9999) %}{% set b = a.split(',') %}{% endfor %}"],
  ["characters of texts", "{% for i in range(999) %}{% for c in 'x' * 100000 %}{% endfor %}{% endfor %}"],
  [
    "characters backwards",
    "{% set a = '\u{1F600}' * 100000 %}{% for i in range(999) %}{% set b = a|reverse %}{% endfor %}"
  ],
  ["cycle of many", "{% for i in range(99999) %}{{ loop.cycle(*range(99999)) }}{% endfor %}"],
  [
    "captures in captures",
    "{% set a %}" +
      "{% filter upper %}".repeat(40) +
      "{{ 'x' * 100000 }}" +
      "{% endfilter %}".repeat(40) +
      "{% endset %}{{ a|length }}"
  ],
  ["lorem ipsum", "{{ lipsum(n=1000000) }}"],
  ["lorem ipsum in one", "{{ lipsum(n=1, min=1, max=9007199254740991) }}"],
  ["title of text", "{% set a = '\u01c6' * 200000 %}{% for i in range(999) %}{% set b = a.title() %}{% endfor %}"],
  ["repr of text", "{% set a = '\\x00' * 100000 %}{% for i in range(999) %}{% set b = [a]|string %}{% endfor %}"],
  ["JSON of text", "{% set a = '\u00e9' * 100000 %}{% for i in range(999) %}{% set b = a|tojson %}{% endfor %}"],
  ["urlencode of text", "{% set a = '\u20ac' * 100000 %}{% for i in range(999) %}{% set b = a|urlencode %}{% endfor %}"]
]

/** Sources that are hard to read. */
import type { Attack } from "./attacks.ts"

export const parsing: ReadonlyArray<Attack> = [
  ["deep parens", "{{ " + "(".repeat(20000) + "1" + ")".repeat(20000) + " }}"],
  ["deep list", "{{ " + "[".repeat(20000) + "]".repeat(20000) + " }}"],
  ["not chain", "{{ " + "not ".repeat(15000) + "1 }}"],
  ["minus chain", "{{ " + "-".repeat(30000) + "1 }}"],
  ["add chain", "{{ 1" + "+1".repeat(30000) + " }}"],
  ["dot chain", "{{ a" + ".a".repeat(30000) + " }}"],
  ["filter chain", '{{ "a"' + "|e".repeat(20000) + " }}"],
  ["if nest", "{% if 1 %}".repeat(6000)],
  ["for nest", "{% for a in [1] %}".repeat(3000)],
  ["elif chain", "{% if 0 %}" + "{% elif 0 %}".repeat(5000) + "{% endif %}"],
  ["ws regex", "{{ 1 }}" + " ".repeat(60000) + "x{%- if 1 %}{% endif %}"],
  ["raw many", "{% raw %}".repeat(7000)],
  ["comment open", "{#".repeat(30000)],
  ["brace", "{".repeat(60000)],
  ["1MB", "x".repeat(1 << 20)],
  ["string esc", '{{ "' + "\\".repeat(60001) + '" }}'],
  ["bigint lit", "{{ " + "9".repeat(60000) + " }}"],
  ["ctn args", "{{ f(" + "a,".repeat(20000) + ") }}"],
  ["cond chain", "{{ 1" + " if 1 else 1".repeat(4000) + " }}"],
  ["compare chain", "{{ 1" + "<1".repeat(20000) + " }}"],
  ["tuple", "{{ " + "1,".repeat(25000) + " }}"],
  ["chains in brackets", "{{ " + "(1+".repeat(99) + "1" + ("+1".repeat(150) + ")").repeat(99) + " }}"],
  ["loops in loops", "{% for a in xs %}".repeat(95) + "{{ a }}".repeat(2000) + "{% endfor %}".repeat(95)],
  ["macros in macros", "{% macro m() %}".repeat(95) + "{{ caller }}".repeat(1000) + "{% endmacro %}".repeat(95)],
  [
    "conditions with many names",
    Array.from({ length: 1500 }, (_, i) => `{% set a${i}=1 %}`).join("") + "{% if a1 %}{% endif %}".repeat(1500)
  ],
  [
    "scoped blocks with many names",
    Array.from({ length: 1200 }, (_, i) => `{% set a${i}=1 %}`).join("") +
      Array.from({ length: 800 }, (_, i) => `{% block b${i} scoped %}{% endblock %}`).join("")
  ],
  ["many keywords", "{{ f(" + Array.from({ length: 6000 }, (_, i) => `a${i}=1`).join(",") + ") }}"],
  ["many parameters", "{% macro m(" + Array.from({ length: 8000 }, (_, i) => `a${i}`).join(",") + ") %}{% endmacro %}"],
  ["many conditions on one line", "{{ 1 if 0 }}".repeat(3000) + "\n".repeat(20000)],
  ["spaces in a tag", "{%" + " ".repeat(60000) + "if 1 %}{% endif %}"],
  ["spaces before raw", ("{%" + " ".repeat(200)).repeat(300)],
  ["endraw that does not end", "{% raw %}" + "{% endraw ".repeat(6000)],
  ["minus signs at tags", ("   ".repeat(10) + "{%- if 1 -%}").repeat(90) + " ".repeat(20000)],
  ["open strings", "{{ '" + "\\'".repeat(30000)],
  ["long names", "{{ " + "a".repeat(60000) + " }}"],
  ["odd names", "{{ " + "\u00b7".repeat(30000) + " }}"],
  ["brackets of all kinds", "{{ " + "([{".repeat(20000) + " }}"],
  ["strings in a row", "{{ " + "'a'".repeat(20000) + " }}"],
  ["concatenations", "{{ 1" + "~1".repeat(9000) + " }}"],
  ["subscripts in subscripts", "{{ a" + "[a".repeat(20000) + "]".repeat(20000) + " }}"],
  ["targets in targets", "{% for " + "(".repeat(5000) + "a" + ")".repeat(5000) + " in xs %}{% endfor %}"]
]

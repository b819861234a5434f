/**
 * Adds Nunjucks as an engine: its package reads a template, and an engine of our own evaluates it.
 *
 * Autoescape is off. The filters and tests of all plugins, those of LiquidJS among them, are callable by the names that
 * Jinja has for them; where Nunjucks has the name itself, its own is meant.
 */
import { definePlugin, nunjucksEngine } from "#plugin"

const engine = "nunjucks"

export default definePlugin({
  name: "nunjucks",
  description: "Nunjucks as an engine.",
  engines: { nunjucks: nunjucksEngine },
  examples: [
    {
      template: "{% for tag in tags %}{{ loop.index }}.{{ tag | upper }}{{ ', ' if not loop.last }}{% endfor %}",
      engine,
      context: { tags: ["core", "lab"] },
      expect: "1.CORE, 2.LAB"
    },
    {
      template:
        "{% macro row(name, unit='U') %}{{ unit }}{{ caller() }}={{ name }};{% endmacro %}{% call row('sw-1') %}7{% endcall %}",
      engine,
      expect: "U7=sw-1;"
    },
    { template: "{{ [] == false }} {{ '1' + 1 }} {{ 1 === '1' }} {{ none }}|", engine, expect: "true 11 false |" },
    { template: '{"text": {{ text | dump }}}', engine, context: { text: 'a "b"' }, expect: '{"text": "a \\"b\\""}' },
    { template: "{{ 'sw-12' | replace(r/[0-9]+/, 'x') }} {{ 'a,b'.split(',').length }}", engine, expect: "sw-x 2" },
    {
      template: "{{ 'a-b c' | slugify }} {{ [3, 1] | liquid.sort | join }} {{ 7 | divided_by(2) }}",
      engine,
      expect: "a-b-c 13 3.5"
    },
    { template: "{{ event.constructor }}{{ ''.constructor }}", engine, context: { event: { a: 1 } }, expect: "" },
    { template: "{{ range.constructor('return process')() }}", engine, expect: { error: "Undefined" } },
    { template: "{% include 'x' %}", engine, expect: { error: "Syntax" } },
    { template: "{% asyncEach x in [1] %}{% endeach %}", engine, expect: { error: "Syntax" } },
    { template: "{{ 1 | nosuch }}", engine, expect: { error: "Syntax" } },
    { template: "{{ 'x' | center(1000000000) }}", engine, expect: { error: "Limit" } }
  ]
})

/** Templates as people write them for nunjucks, with what the package makes of them. */

export interface Written {
  readonly name: string
  readonly source: string
  readonly output: string
}

export const context = {
  event: "updated",
  model: "device",
  username: "ada",
  data: {
    id: 7,
    name: "sw-1.ams",
    status: { value: "active", label: "Active" },
    site: { id: 3, name: "Amsterdam", slug: "ams" },
    tags: [
      { name: "Core", slug: "core" },
      { name: "Lab", slug: "lab" }
    ],
    interfaces: [
      { name: "ge-0/0/1", speed: 1000, up: true },
      { name: "ge-0/0/10", speed: 10_000, up: false },
      { name: "ge-0/0/2", speed: 1000, up: true }
    ],
    comments: 'first <b>line</b>\nsecond "line"',
    asset_tag: null
  },
  snapshots: {
    prechange: { name: "sw-0", status: "planned", asset_tag: "A1" },
    postchange: { name: "sw-1.ams", status: "active", asset_tag: null }
  }
}

export const written: ReadonlyArray<Written> = [
  {
    name: "a message for a chat",
    source: `{"text": {{ ("*" + data.name + "* was " + event + " by " + username) | dump }}, "channel": "#{{ data.site.slug }}"}`,
    output: `{"text": "*sw-1.ams* was updated by ada", "channel": "#ams"}`
  },
  {
    name: "a loop with its state, and an else",
    source: `{% for tag in data.tags %}{{ loop.index }}/{{ loop.length }} {{ tag.name }}{% if not loop.last %}; {% endif %}{% else %}no tags{% endfor %}
{%- for module in data.modules %}{{ module }}{% else %}|no modules{% endfor %}`,
    output: "1/2 Core; 2/2 Lab|no modules"
  },
  {
    name: "what changed, over the keys of an object",
    source: `{% for name, before in snapshots.prechange %}
{%- set after = snapshots.postchange[name] %}
{%- if before !== after %}{{ name }}: {{ before }} -> {{ after if after is not none else "nothing" }}
{% endif %}{% endfor %}`,
    output: "name: sw-0 -> sw-1.ams\nstatus: planned -> active\nasset_tag: A1 -> nothing\n"
  },
  {
    name: "macros with defaults and keyword arguments",
    source: `{% macro field(title, value="-", short=false) %}{"title": {{ title | dump }}, "value": {{ value | string | dump }}, "short": {{ short }}}{% endmacro %}[{{ field("Name", data.name) }}, {{ field("Site", short=true, value=data.site.name) }}, {{ field("Rack") }}]`,
    output: `[{"title": "Name", "value": "sw-1.ams", "short": false}, {"title": "Site", "value": "Amsterdam", "short": true}, {"title": "Rack", "value": "-", "short": false}]`
  },
  {
    name: "call blocks in a loop, with an argument of the macro",
    source: `{% macro row(item) %}<tr>{{ caller(item.speed / 1000) }}</tr>{% endmacro %}{% for port in data.interfaces | selectattr("up") %}{% call(gigabits) row(port) %}<td>{{ port.name }}</td><td>{{ gigabits }}G</td>{% endcall %}{% endfor %}`,
    output: "<tr><td>ge-0/0/1</td><td>1G</td></tr><tr><td>ge-0/0/2</td><td>1G</td></tr>"
  },
  {
    name: "variables that loops change, and blocks of text",
    source: `{% set total = 0 %}{% set names = [] %}{% for port in data.interfaces %}{% set total = total + port.speed %}{% if names.push(port.name) %}{% endif %}{% endfor %}{% set title %}{{ names.length }} ports{% endset %}{{ title | upper }}: {{ total }} ({{ names | sort | join(", ") }})`,
    output: "3 PORTS: 12000 (ge-0/0/1, ge-0/0/10, ge-0/0/2)"
  },
  {
    name: "a switch, and JavaScript's comparisons",
    source: `{% switch data.status.value %}{% case "planned" %}{% case "staged" %}soon{% case "active" %}in use{% default %}unknown{% endswitch %}, {{ "7" == data.id }} {{ "7" === data.id }} {{ "same" if [] == false else "other" }} {{ "empty" if [] else "none" }}`,
    output: "in use, true false same empty"
  },
  {
    name: "groups, batches and sorted objects",
    source: `{% for speed, ports in data.interfaces | groupby("speed") %}{{ speed }}: {{ ports | length }}{{ "; " if not loop.last }}{% endfor %}|{% for row in [1, 2, 3, 4, 5] | batch(2, "-") %}[{{ row }}]{% endfor %}|{% for key, value in snapshots.prechange | dictsort %}{{ key }}={{ value }} {% endfor %}`,
    output: "1000: 2; 10000: 1|[1,2][3,4][5,-]|asset_tag=A1 name=sw-0 status=planned "
  },
  {
    name: "texts: filters, methods, expressions and white space",
    source: `{#- a comment -#}
{{- data.comments | striptags(true) | replace(r/\\s+/g, " ") }} | {{ data.comments | escape | nl2br | truncate(24) }} |
{%- raw %} {{ raw }} {% endraw %} {{ data.name.split(".")[0].toUpperCase() }} {{ (data.interfaces[0].speed / 3).toFixed(2) }} {% filter title %}the end{% endfilter %}`,
    output: `first line second "line" | first... | {{ raw }}  SW-1 333.33 The End`
  },
  {
    name: "cycler, joiner and range",
    source: `{% set odd = cycler("odd", "even") %}{% set comma = joiner(", ") %}{% for n in range(1, 8, 2) %}{{ comma() }}{{ n }} {{ odd.next() }}{% endfor %}`,
    output: "1 odd, 3 even, 5 odd, 7 even"
  }
]

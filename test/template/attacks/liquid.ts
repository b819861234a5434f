/** Templates of Liquid that look for prototypes, methods and classes. Each prints nothing, whatever it is given. */

/** Names behind which JavaScript keeps what is not data. */
const hidden = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty", "__defineGetter__", "next"]

/** Things that a template can name: plain data, and the objects of LiquidJS itself. */
const subjects = [
  "a",
  "xs",
  "s",
  "n",
  "xs.first",
  "xs[0]",
  "empty",
  "blank",
  "nil",
  "forloop",
  "tablerowloop",
  "(1..3)"
]

const read = subjects.flatMap((subject) =>
  hidden.flatMap((name) => [
    `{{ ${subject}.${name} }}`,
    `{{ ${subject}["${name}"] }}`,
    `{% assign k = "${name.slice(0, 3)}" | append: "${name.slice(3)}" %}{{ ${subject}[k][k] }}`
  ])
)

/** Filters that take the name of a property, by what they make of a list in which no item has it. */
const byProperty: Readonly<Record<string, string>> = {
  map: `{% assign found = xs | map: "NAME" | compact %}{{ found[0] }}`,
  where: `{% assign found = xs | where: "NAME" %}{{ found[0].a }}`,
  find: `{{ xs | find: "NAME" }}`,
  find_index: `{{ xs | find_index: "NAME" }}`,
  has: `{% assign found = xs | has: "NAME" %}{% if found %}found{% endif %}`,
  reject: `{% assign left = xs | reject: "NAME" %}{% if left.size != 2 %}found{% endif %}`,
  group_by: `{% assign groups = xs | group_by: "NAME" %}{{ groups[0].name }}{% if groups.size != 1 %}found{% endif %}`,
  sum: `{% assign total = xs | sum: "NAME" %}{% if total != 0 %}found{% endif %}`,
  sort: `{% assign sorted = xs | sort: "NAME" %}{% if sorted[0].a != 2 %}found{% endif %}`,
  sort_natural: `{% assign sorted = xs | sort_natural: "NAME" %}{% if sorted[0].a != 2 %}found{% endif %}`,
  where_exp: `{% assign found = xs | where_exp: "x", "x.NAME" %}{{ found[0].a }}`,
  find_exp: `{{ xs | find_exp: "x", "empty.NAME" }}`
}

const filtered = Object.values(byProperty).flatMap((template) =>
  [...hidden, "__proto__.constructor", "constructor.prototype", "a.constructor", "a.toFixed"].map((name) =>
    template.replaceAll("NAME", name)
  )
)

const named = hidden.map((name) => `{{ ${name} }}{{ ${name}.${name} }}`)

/** In a loop and a table row, so that both have their own object. */
export const liquidAttacks: ReadonlyArray<string> = [...read, ...filtered, ...named].map(
  (template) => `{% for i in (1..1) %}{% tablerow j in one %}${template}{% endtablerow %}{% endfor %}`
)

export const liquidContext = { a: { b: 1 }, xs: [{ a: 2 }, { a: 1 }], s: "text", n: 5, one: [1] }

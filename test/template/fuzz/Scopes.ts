import type { Random } from "./Random.ts"

/** Templates about scopes: statements that set and read the same few names inside each other. */
export const makeScopes = (random: Random): string => {
  let blocks = 0
  const block = () => `b${blocks++}`
  return random.many(1, 4, () => scopes(random, block, 4)).join("")
}

/** Few names, set and read in every kind of scope. */
const scopes = (random: Random, block: () => string, depth: number): string => {
  const name = () => random.pick(["a", "b", "n", "loop.index", "xs"])
  const target = () => random.pick(["a", "b", "n"])
  const read = () => `{{ ${name()} }}${random.pick(["", ",", " "])}`
  const inner = () => random.many(1, 3, () => scopes(random, block, depth - 1)).join("")
  if (depth <= 0 || random.chance(0.35)) return read()
  return random.pick<() => string>([
    () => `{% set ${target()} = ${random.pick(["1", "2", "n", "a", "b ~ 'x'", "[a]"])} %}`,
    () => `{% set ${target()} = ${random.pick(["1", "2", "n", "a"])} %}${inner()}`,
    () => `{% if ${random.pick(["a", "not a", "t", "false", "loop.first"])} %}${inner()}{% endif %}`,
    () => `{% if ${name()} %}${inner()}{% elif b %}${inner()}{% else %}${inner()}{% endif %}`,
    () =>
      `{% for ${target()} in ${random.pick(["xs", "[1]", "[]", "[a, b]"])} %}${inner()}{% else %}${inner()}{% endfor %}`,
    () => `{% for ${target()} in xs if ${random.pick(["a", "b", "n > 1", "loop.index"])} %}${inner()}{% endfor %}`,
    () => `{% with ${target()} = ${name()} %}${inner()}{% endwith %}`,
    () => `{% with a = 1, b = a %}${inner()}{% endwith %}`,
    () =>
      `{% macro m(${random.pick(["", "a", "a, b=a", "n=b", "b=1"])}) %}${inner()}{% endmacro %}{{ m(${random.pick(["", "1", "b=2"])}) }}`,
    () => `{% macro k() %}${inner()}{{ caller() }}{% endmacro %}{% call k() %}${inner()}{% endcall %}`,
    () => `{% set ${target()} %}${inner()}{% endset %}${read()}`,
    () => `{% filter upper %}${inner()}{% endfilter %}`,
    () => `{% block ${block()}${random.pick(["", " scoped"])} %}${inner()}{% endblock %}`,
    () => `{% for a in [[1, [2]], [3]] recursive %}${inner()}{{ loop(a[1:]) if a[1:] }}{% endfor %}`,
    () => `{% autoescape true %}${inner()}{% endautoescape %}`,
    () => `{% if a %}{% macro m() %}${inner()}{% endmacro %}{% endif %}{{ m() if m }}`
  ])()
}

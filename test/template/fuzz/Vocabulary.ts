/** The smallest parts of random expressions. */

export type Kind = "int" | "float" | "str" | "list" | "dict" | "bool" | "any"

export const kinds: ReadonlyArray<Kind> = ["int", "float", "str", "list", "dict", "bool"]

/** Names of the vectors' context by what they hold. */
export const names: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  int: ["n", "neg", "us[0].age", "xs[0]", "d.a"],
  float: ["f", "fl"],
  str: ["name", "s", "e", "uni", "html", "dt", "us[1].name", "us[0]['g']"],
  list: ["xs", "us", "it['items']", "nested.a.b"],
  dict: ["d", "nested", "us[0]", "it"],
  bool: ["t", "us[0].active"],
  any: ["z", "nope", "big", "d.nope", "xs[9]", "none", "self_", "us[5].x"]
}

const strings = [
  "''",
  "'a'",
  "'abc'",
  "'Hello World'",
  "'a,b,,c'",
  '"it\'s"',
  "'x y  z'",
  "'é☃😀'",
  "'ß'",
  "'a\\nb\\tc'",
  "'\\x41\\u00e9'",
  "'<b>&\"'",
  "'%s-%d'",
  "'{}'",
  "'{0}{1}'",
  "'3'",
  "'-4.5'",
  "'0x1f'",
  "'1_000'",
  "' pad '",
  "'AbC dEf'",
  "'one two three four five six'",
  "'http://example.com/a?b=c'",
  "'name'"
]

const integers = [
  "0",
  "1",
  "2",
  "3",
  "5",
  "7",
  "10",
  "42",
  "255",
  "1000",
  "-1",
  "-3",
  "1_000",
  "0x1f",
  "0b101",
  "12345678901234567890"
]
const floats = ["0.0", "0.5", "1.0", "1.5", "2.5", "-2.5", "3.14159", "1e3", "1e-7", "1e16", "123456.789", "-0.0"]
export const attributes = ["'name'", "'age'", "'g'", "'active'", "'nope'", "0", "'0'"]

/** Literals by what they are. */
export const literals: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  int: integers,
  float: floats,
  str: strings,
  list: [
    "[]",
    "[1, 2, 3]",
    "['b', 'a', 'C']",
    "(1, 2)",
    "('x',)",
    "[3, 1.5, true]",
    "[[1, 2], [3]]",
    "range(4)",
    "[none, 1]",
    "[{'a': 1}, {'a': 2}]"
  ],
  dict: ["{}", "{'a': 1}", "{'k': 'v', 'a': [1]}", "{1: 2, 'x': none}", "dict(a=1, b='c')", "{'z': 1, 'Y': 2, 'x': 3}"],
  bool: ["true", "false", "True", "False"],
  any: ["none", "''", "[]", "0", "nope", "z"]
}

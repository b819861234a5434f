/** Values that somebody may send who wants to see the service fail, and values that look like good ones. */
import type { Random } from "../../template/fuzz/Random.ts"

const long = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length)

export const texts: ReadonlyArray<string> = [
  "",
  " ",
  "x",
  "active",
  "null",
  "true",
  "0",
  "-1",
  "1",
  "2",
  "1.5",
  "1e400",
  "9".repeat(19),
  "9".repeat(400),
  "1." + "0".repeat(400) + "1",
  "NaN",
  "Infinity",
  "-0",
  "0x10",
  "１２",
  "a\0b",
  "\0",
  "\ud800",
  "\ufffe\u202e",
  "é😀",
  "\u0001\u001f\u007f",
  "\r\nX-Injected: 1",
  "%",
  "%00",
  "%s%n",
  "_",
  "\\",
  "'",
  "'); drop table dcim_site; --",
  "$1",
  "${7*7}",
  "{{ 7*7 }}",
  "{% for x in y %}",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "2026-02-31",
  "2026-01-01",
  "2026-01-01T00:00:00Z",
  "0000-00-00T00:00:00Z",
  "9999-12-31T23:59:60+14:00",
  "10.0.0.0/8",
  "10.0.0.1",
  "10.0.0.256/33",
  "::ffff:1.2.3.4/129",
  "fe80::1%eth0",
  "::/0",
  "00:11:22:33:44:55",
  "00:11",
  "[",
  "(?",
  "a{2000}",
  "(a*)*b",
  "\\",
  "^(a|b)+$",
  "00000000-0000-0000-0000-000000000000",
  "dcim.site",
  "dcim.nothing",
  "users.user",
  "name",
  "-name",
  "id,-id,data,password",
  "csv",
  "yaml",
  'W/"2026"',
  long("x", 3000),
  long("😀", 2000),
  long("a,", 4000)
]

const deep = (levels: number): unknown => {
  let value: unknown = []
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { deeper: value }
  return value
}

const objects: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  1e300,
  -1e300,
  1e-300,
  [],
  [[]],
  [null],
  [{}],
  [1, "x", null],
  [1, 1, 1],
  [999_999_999],
  {},
  { id: 1 },
  { id: "x" },
  { id: 1e300 },
  { id: 999_999_999 },
  { name: "x" },
  { slug: "x" },
  { name: { name: [] } },
  { name: "a\0b" },
  { name__ic: "x", id__in: [1, 2] },
  { "a\0b": 1 },
  { "\ud800": "\udc00" },
  { constructor: { prototype: {} } },
  { toString: 1, valueOf: 2, length: -1 },
  { object_type: "dcim.interface", object_id: 1 },
  [{ object_type: "dcim.interface", object_id: 1e300 }],
  { and: [{ attr: "status.value", value: "active" }] },
  { or: [{ attr: "name", op: "regex", value: "(a|b)*c" }] },
  { and: [] },
  { attr: "a\0", op: "nothing", value: { x: [] } },
  { name__in: Array.from({ length: 3000 }, (_, n) => `n${n}`) },
  { $user: "$user" },
  deep(100),
  deep(599),
  Array.from({ length: 500 }, (_, n) => n),
  Array.from({ length: 200 }, () => ({}))
]

export const hostileText = (random: Random): string => {
  if (random.chance(0.85)) return random.pick(texts)
  return random.many(0, 40, () => String.fromCodePoint(random.below(random.chance(0.7) ? 128 : 0x3000))).join("")
}

export const hostileJson = (random: Random): unknown => {
  const kind = random.below(10)
  if (kind < 4) return hostileText(random)
  if (kind < 8) return random.pick(objects)
  if (kind < 9) return random.many(0, 5, () => hostileJson(random))
  return Object.fromEntries(random.many(0, 5, () => [hostileText(random), hostileJson(random)]))
}

/** JSON values that no field, or hardly one, can have. */

const deep = (levels: number): unknown => {
  let value: unknown = []
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { deeper: value }
  return value
}

/** Values that one field or another cannot have. */
export const hostile: ReadonlyArray<unknown> = [
  null,
  "",
  " ",
  "x".repeat(70_000),
  "no such choice",
  "a\0b",
  "\u0001\u001f\u007f",
  "\ud800",
  "2026-02-31",
  "10.0.0.256/33",
  "-1",
  "9".repeat(400),
  true,
  0,
  -1,
  1.5,
  -0.1234567891,
  2 ** 31,
  2 ** 53,
  1e300,
  -1e300,
  4_000_000_000_000,
  [],
  [[]],
  [null],
  [{}],
  [1, "x"],
  [1e300],
  {},
  { id: "x" },
  { id: 1e300 },
  { id: 999_999_999 },
  { name: { name: [] } },
  { name: "a\0b" },
  { name: "\ud800" },
  { id__in: "1", name__ic: "x" },
  { no: "such" },
  { __proto__: null, constructor: 1 },
  [{ object_type: "dcim.interface", object_id: 1e300 }],
  [{ object_type: "dcim.interface", object_id: 999_999_999 }],
  [999_999_999],
  999_999_999,
  "dcim.nothing",
  // Deeper ones are refused with the whole body.
  deep(90)
]

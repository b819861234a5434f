/** Rows of any object type, and how Postgres prints each of their values: as text, as the WAL has it, and as JSON. */
import fc from "fast-check"
import type { Field, Row } from "../../src/inventory/Field.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { baseOf, printNetwork, widthOf } from "../../src/inventory/field/Network.ts"
import { codePoint } from "../support/CodePoint.ts"

/** A text that Postgres can keep. */
export const text = fc.oneof(
  fc.string({ unit: codePoint }).map((each) => each.replaceAll("\0", "")),
  fc.constantFrom("", "NULL", "null", '"', "\\", "{a,b}", 'a "b" \\c', " ", "\n", "t", "f", "0")
)

/** JSON that Postgres can keep and that reads back as it was. */
export const json = fc.jsonValue({ depthSize: "small" }).map((value): unknown => {
  const kept = JSON.stringify(value).replaceAll(String.raw`\u0000`, "")
  return JSON.parse(kept) as unknown
})

const id = fc.integer({ min: 1, max: 2 ** 31 })

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** A point in time as ISO 8601 in UTC, with as many decimals as it needs. */
export const moment = fc
  .record({ millis: fc.integer({ min: -60_000_000_000_000, max: 250_000_000_000_000 }), micros: fc.nat(999_999) })
  .map(({ millis, micros }) => {
    const date = new Date(millis)
    const day = `${String(date.getUTCFullYear()).padStart(4, "0")}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`
    const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(":")
    const fraction = micros === 0 ? "" : `.${String(micros).padStart(6, "0")}`.replace(/0+$/, "")
    return `${day}T${time}${fraction}Z`
  })

/** A point in time's day. */
const day = moment.map((text) => text.slice(0, 10))

const octets = (count: number) =>
  fc
    .uint8Array({ minLength: count, maxLength: count })
    .map((bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":"))

/** A network, with or without bits of a host in it. */
const network = (host: boolean) =>
  fc
    .record({
      family: fc.constantFrom(4 as const, 6 as const),
      words: fc.array(fc.oneof(fc.constant(0n), fc.nat(0xffff).map(BigInt)), { minLength: 8, maxLength: 8 }),
      size: fc.nat(128)
    })
    .map(({ family, words, size }) => {
      const all = words.reduce((bits, word) => (bits << 16n) | word, 0n)
      const length = size % (widthOf(family) + 1)
      const found = { family, bits: BigInt.asUintN(widthOf(family), all), length }
      return printNetwork(host ? found : { ...found, bits: baseOf(found) })
    })

const plain: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  date: day,
  inet: network(true),
  cidr: network(false),
  macaddr: octets(6),
  macaddr8: octets(8),
  "integer[]": fc.array(fc.nat(65_535), { maxLength: 4 }),
  boolean: fc.boolean(),
  bigint: fc.maxSafeInteger().map((value) => value + 0),
  timestamptz: moment,
  uuid: fc.uuid(),
  "text[]": fc.array(text, { maxLength: 4 }),
  "bigint[]": fc.array(id, { maxLength: 4 }),
  json,
  jsonb: json
}

const numeric = (type: string) => /^numeric\((\d+),(\d+)\)$/.exec(type)

/** Canonical values of a field, null left out. */
export const canonical = (field: Field): fc.Arbitrary<unknown> => {
  if (field.choices !== undefined) return fc.constantFrom(...Object.keys(field.choices))
  if (field.reference !== undefined && !field.reference.many) return id
  if (field.generic !== undefined) return fc.constantFrom(...(field.generic.types ?? ["dcim.site", "ipam.prefix"]))
  const [, digits, places] = numeric(field.type) ?? []
  if (digits !== undefined) {
    const most = 10 ** Number(digits) - 1
    return fc.integer({ min: -most, max: most }).map((value) => Number(`${value}e-${places}`) + 0)
  }
  const { hides } = field
  return hides === undefined ? (plain[field.type] ?? text) : text.map((each) => hides.hide(each).shown)
}

/** Rows of a type, with null wherever a field may be null. */
export const rowOf = (type: ObjectType): fc.Arbitrary<Row> => {
  const fields = Object.entries(type.fields).map(([name, field]) => {
    const value = canonical(field)
    return [name, field.nullable ? fc.option(value) : value] as const
  })
  return fc.record({ id, ...Object.fromEntries(fields) }, { noNullPrototype: true })
}

const listItem = (item: unknown): string => {
  const word = String(item)
  const bare = word !== "" && !/^null$/i.test(word) && !/[\s"\\{},]/.test(word)
  return bare ? word : `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

/** A canonical value as Postgres prints it in its text format. */
export const printed = (field: Field, value: unknown): string => {
  const places = numeric(field.type)?.[2]
  if (places !== undefined) return (value as number).toFixed(Number(places))
  if (field.type.endsWith("[]")) return `{${(value as ReadonlyArray<unknown>).map(listItem).join(",")}}`
  if (field.type === "boolean") return value === true ? "t" : "f"
  if (field.type === "inet") return String(value).replace(/^([^:]*)\/32$|^(.*:.*)\/128$/, "$1$2")
  if (field.type.startsWith("macaddr")) return String(value).toLowerCase()
  if (field.type === "timestamptz") return String(value).replace("T", " ").replace("Z", "+00")
  if (field.type === "json" || field.type === "jsonb") return JSON.stringify(value)
  return String(value)
}

/** A canonical value as `row_to_json` prints it, parsed. */
export const printedJson = (field: Field, value: unknown): unknown => {
  if (field.type === "timestamptz") return String(value).replace("Z", "+00:00")
  return /^(inet|macaddr)/.test(field.type) ? printed(field, value) : value
}

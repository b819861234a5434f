/**
 * Fields of NetBox 3.5: every declared type has all of them, or says why not, with NetBox's limits, choices, defaults,
 * uniqueness and brief form.
 */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import type { Field } from "../../src/inventory/Field.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { registry } from "../../src/inventory/Registry.ts"

interface FieldFacts {
  readonly readOnly?: true
  readonly required?: true
  readonly unique?: true
  /** Most characters. */
  readonly max?: number
  readonly least?: number
  readonly most?: number
  readonly default?: unknown
  readonly onDelete?: string
  /** `value=label`, separated by `|`. */
  readonly choices?: string
  /** Whether the value is on the wire without its label. */
  readonly plain?: true
  /** The fields of the nested object. */
  readonly shows?: string
}

interface Facts {
  readonly label: string
  readonly brief: string
  readonly unique: ReadonlyArray<string>
  readonly fields: Readonly<Record<string, FieldFacts>>
}

/** Read from the serializers and models of NetBox 3.5.9. */
const facts = JSON.parse(readFileSync(new URL("netbox-fields.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Facts>
>

const jobs = "there are no jobs"

/** Fields that a type lacks, and the reasons. */
const lacking: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "extras.webhook": { type_job_start: jobs, type_job_end: jobs }
}

/** Differences from NetBox by field, and the reasons. */
const different: Readonly<Record<string, string>> = {
  "dcim.cable.a_terminations required": "both sides are needed to create, as NetBox says in words",
  "dcim.cable.b_terminations required": "both sides are needed to create, as NetBox says in words",
  "dcim.device.position least": "the model of NetBox refuses half a unit, its serializer does not",
  "dcim.device.primary_ip4 unique": "a bond checks it, which rows of earlier versions may break",
  "dcim.device.primary_ip6 unique": "a bond checks it, which rows of earlier versions may break",
  "dcim.interface.parent onDelete": "NetBox restricts the deletion of a parent",
  "dcim.rackreservation.user required": "the author is the user where none is named, as in the form of NetBox",
  "dcim.virtualdevicecontext.primary_ip4 unique": "a bond checks it, as for devices",
  "dcim.virtualdevicecontext.primary_ip6 unique": "a bond checks it, as for devices",
  "extras.customfield.type required": "a text is usual",
  "extras.customfield.validation_maximum least": "numbers of custom fields are larger",
  "extras.customfield.validation_maximum most": "numbers of custom fields are larger",
  "extras.customfield.validation_minimum least": "numbers of custom fields are larger",
  "extras.customfield.validation_minimum most": "numbers of custom fields are larger",
  "extras.imageattachment.image_height readOnly": "read from the file",
  "extras.imageattachment.image_height required": "read from the file",
  "extras.imageattachment.image_width readOnly": "read from the file",
  "extras.imageattachment.image_width required": "read from the file",
  "extras.savedfilter.parameters required": "a filter without parameters finds everything",
  "extras.webhook unique payload_url type_create type_update type_delete": "several webhooks may have one receiver",
  "ipam.asn.rir required": "the model of NetBox wants it, its serializer does not",
  "ipam.l2vpn.type required": "the model of NetBox wants it, its serializer does not",
  "ipam.servicetemplate.protocol required": "the model of NetBox wants it, its serializer does not",
  "ipam.service.protocol required": "the model of NetBox wants it, its serializer does not",
  "users.token brief key": "a key is shown once",
  "users.token.last_used readOnly": "the service notes it",
  "users.token.key max": "keys are longer",
  "users.user.date_joined readOnly": "the service notes it",
  "users.user.password max": "passwords may be longer",
  "virtualization.virtualmachine.primary_ip4 unique": "a bond checks it, which rows of earlier versions may break",
  "virtualization.virtualmachine.primary_ip6 unique": "a bond checks it, which rows of earlier versions may break",
  "virtualization.vminterface.parent onDelete": "NetBox restricts the deletion of a parent"
}

const declared = Object.entries(facts).flatMap(([id, fact]) => {
  const type = registry.get(id)
  return type === undefined ? [] : [[id, type, fact] as const]
})

const cables = new Set([
  ...["cable", "cable_end", "link_peers", "link_peers_type", "_occupied"],
  ...["connected_endpoints", "connected_endpoints_type", "connected_endpoints_reachable"]
])

/** Whether a field waits until ports of the type may have cables. */
const waits = (type: ObjectType, name: string): boolean => cables.has(name) && !Object.hasOwn(type.fields, "cable")

const shownBy = (type: ObjectType): ReadonlySet<string> =>
  new Set([type.fields, type.derived, type.counts, type.pointedBy].flatMap((each) => Object.keys(each)))

test.each(declared)("%s has every field, or a reason", (id, type, { fields }) => {
  const shown = shownBy(type)
  const reasons = new Set(Object.keys(lacking[id] ?? {}))
  expect(Object.keys(fields).filter((name) => !shown.has(name) && !reasons.has(name) && !waits(type, name))).toEqual([])
  expect([...reasons].filter((name) => shown.has(name))).toEqual([])
})

const isTaken = (field: Field, value: number): boolean => "value" in field.parse(value)

/** The properties in which a field differs from the facts. */
const differences = (field: Field, fact: FieldFacts): ReadonlyArray<string> => {
  const { max, least, most, choices, onDelete } = fact
  const isWritten = fact.readOnly !== true
  const isBounded = isWritten && choices === undefined
  const pairs = Object.entries(field.choices ?? {}).map(([value, label]) => `${value}=${label}`)
  const found: Readonly<Record<string, boolean>> = {
    readOnly: isWritten !== (field.wire !== "read"),
    required: isWritten && (fact.required === true) !== (field.initial === undefined),
    unique: fact.unique === true && !field.unique,
    max: max !== undefined && field.maxLength !== max,
    least: isBounded && least !== undefined && (!isTaken(field, least) || isTaken(field, least - 1)),
    most: isBounded && most !== undefined && (!isTaken(field, most) || isTaken(field, most + 1)),
    default: fact.default !== undefined && String(field.initial?.()) !== String(fact.default),
    onDelete: onDelete !== undefined && field.reference?.many === false && field.reference.onDelete !== onDelete,
    choices: choices !== undefined && [...choices.split("|")].sort().join("|") !== [...pairs].sort().join("|")
  }
  return Object.keys(found).filter((name) => found[name])
}

const differing = declared
  .filter(([, { kind }]) => kind !== "record")
  .flatMap(([id, type, fact]) => [
    ...Object.entries(fact.fields).flatMap(([name, each]) =>
      Object.hasOwn(type.fields, name)
        ? differences(type.fields[name]!, each).map((what) => `${id}.${name} ${what}`)
        : []
    ),
    ...fact.brief
      .split(" ")
      .filter((name) => name !== "" && !type.brief.includes(name) && !waits(type, name))
      .map((name) => `${id} brief ${name}`),
    ...fact.unique
      .map((unique) => unique.replace(/lower\((\w+)\)/, "$1"))
      .filter((unique) => !type.unique.some(({ fields }) => fields.join(" ") === unique))
      .map((unique) => `${id} unique ${unique}`),
    ...(fact.label === type.label ? [] : [`${id} label`])
  ])

test("limits, choices, defaults, uniqueness and brief forms are NetBox's, or have a reason", () => {
  expect(differing.filter((each) => !Object.hasOwn(different, each))).toEqual([])
})

test("no reason is given for a field that is as in NetBox", () => {
  expect(Object.keys(different).filter((each) => !differing.includes(each))).toEqual([])
})

const nested = declared.flatMap(([id, type, { fields }]) =>
  Object.entries(fields).flatMap(([name, { shows }]) => {
    const reference = type.fields[name]?.reference
    if (shows === undefined || reference === undefined) return []
    if (reference.bare === true || reference.ends !== undefined) return []
    const target = registry.get(reference.type)!
    const shown = (reference.shows ?? target.brief).filter((each) => !Object.hasOwn(target.counts, each))
    // The depth in a tree is counted, and nested objects have no counts.
    const wanted = shows.split(" ").filter((each) => each !== "_depth" && !waits(target, each))
    return [[`${id}.${name}`, [...shown].sort(), wanted.sort()] as const]
  })
)

test.each(nested)("%s shows the fields of its nested object", (_, shown, wanted) => {
  expect(shown).toEqual(wanted)
})

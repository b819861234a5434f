/** Errors of the API in people's words: what is wrong, what was expected, how to fix it. */
import { describe, expect, it } from "vitest"
import { inWords } from "../../src/console/fault/InWords.ts"
import { formOf } from "../../src/console/form/FormField.ts"
import { textsIn } from "../../src/inventory/Field.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"
import { bodyOfCells, withNamedReferences } from "../../src/inventory/derive/represent/Flat.ts"
import { draft } from "../../src/inventory/derive/values/Draft.ts"
import { constraint } from "../../src/inventory/derive/filter/Constraint.ts"
import { filter } from "../../src/inventory/derive/filter/Filter.ts"
import { allVisible } from "../../src/inventory/derive/filter/Where.ts"
import { parse } from "../../src/match/Condition.ts"

const site = "dcim.site"
const device = "dcim.device"
const webhook = "extras.webhook"
const [missing, unknown] = [
  "Related object not found using the provided",
  "Related objects must be referenced by numeric ID or by dictionary of attributes. Received an unrecognized value:"
]
const choices = "Planned, Staging, Active, Decommissioning, Retired"

it.each<[type: string, name: string, message: string, input: string | undefined, words: string]>([
  [
    webhook,
    "conditions",
    "Ruleset must be a dictionary, not <class 'str'>.",
    '{"and": [{"attr": "a", "value": 1}',
    `This is not valid JSON. Line 1, column 35: expected "," or "]", but the text ends there. Add ]} at the end.`
  ],
  [
    webhook,
    "conditions",
    "Ruleset must be a dictionary, not <class 'str'>.",
    "active",
    `A condition is a JSON object such as {"attr": "status.value", "value": "active"}, not a text.`
  ],
  [
    webhook,
    "conditions",
    "and[1].op: Unknown operator: gtt. Must be one of: eq, gt",
    '{"and": [{"attr": "a", "value": 1},\n {"attr": "b", "op": "gtt", "value": 1}]}',
    'Line 2, column 16 (and[1].op): There is no operator "gtt". Use one of: eq, gt.'
  ],
  [
    webhook,
    "conditions",
    "and[0].value: Invalid type for gt operation: <class 'str'>",
    undefined,
    'and[0].value: The operator "gt" compares with numbers, not with a text.'
  ],
  [
    webhook,
    "conditions",
    "and: Expected a list of conditions, not <class 'dict'>.",
    '{"and": {}}',
    'Line 1, column 2 (and): Write a list of conditions in brackets, such as [{"attr": "status.value", "value": "active"}], not an object.'
  ],
  [
    webhook,
    "content_types",
    "Invalid content type: dcim.sit",
    "dcim.sit",
    '"dcim.sit" is not an object type that can be chosen here. Object types are written as dcim.site.'
  ],
  [
    device,
    "site",
    `${missing} attributes: {'slug': 'dc9'}`,
    "dc9",
    'There is no site with the slug "dc9" that you may use. Search for it, or write its id or slug.'
  ],
  [
    device,
    "rack",
    `${missing} attributes: {'name': 'R1', 'site__slug': "o'sl"}`,
    undefined,
    `There is no rack with the name "R1" and the site slug "o'sl" that you may use. Search for it, or write its id or name.`
  ],
  [
    device,
    "site",
    `${missing} attributes: {'nmae': 'x'}. Objects of type dcim.site are named by exact values of: id, name, slug.`,
    undefined,
    'Sites cannot be named by the nmae "x". Name them by: id, name, slug.'
  ],
  [
    device,
    "site",
    `${missing} numeric ID: 99`,
    "99",
    "There is no site with the id 99 that you may use. Search for it, or write its id or slug."
  ],
  [
    device,
    "site",
    `Multiple objects match the provided attributes: {'name': 'x'}`,
    "x",
    'There is more than one site with the name "x". Write the id of the one that you mean.'
  ],
  [device, "site", `${unknown} 1.5`, "1.5", '"1.5" does not name a site. Search for it, or write its id or slug.'],
  [
    "ipam.ipaddress",
    "assigned_object_id",
    "A valid integer is required.",
    "eth0",
    '"eth0" is not an id. Search for it, or write its id.'
  ],
  [
    "ipam.vlan",
    "vid",
    "A valid integer is required.",
    "ten",
    '"ten" is not a whole number. Write digits only, such as 42.'
  ],
  ["ipam.vlan", "vid", "Ensure this value is less than or equal to 4094.", "5000", "The number must be 4094 or less."],
  [site, "status", "lost is not a valid choice.", "lost", `"lost" is not one of the choices: ${choices}.`],
  [
    site,
    "status__n",
    "Select a valid choice. lost is not one of the available choices.",
    "lost",
    `"lost" is not one of the choices: ${choices}.`
  ],
  [
    site,
    "region",
    "Select a valid choice. gone is not one of the available choices.",
    "gone",
    'There is no region "gone" that you may use. Search for it, or write its id or slug.'
  ],
  [
    site,
    "tag",
    "Select a valid choice. gone is not one of the available choices.",
    "gone",
    'There is no tag "gone" that you may use. Search for it, or write its id or slug.'
  ],
  [site, "regoin", "Unknown filter.", "x", 'Sites have no filter "regoin". Choose one under Filters, or remove it.'],
  [
    site,
    "slug",
    "site with this slug already exists.",
    "osl",
    'There is another site with this slug, "osl". Choose another one.'
  ],
  [site, "name", "This field may not be blank.", "", "Fill in this field."],
  [
    site,
    "facility",
    "Ensure this field has no more than 50 characters.",
    "x".repeat(60),
    "The text has 60 characters; at most 50 are possible. Shorten it."
  ],
  [
    site,
    "cf_unit",
    "Invalid value for custom field 'unit': Invalid choice (\"x\"). Available choices are: a, b",
    "x",
    '""x"" is not one of the choices: a, b.'
  ],
  [site, "__all__", "Missing required custom field 'unit'.", undefined, "Custom field unit: Fill in this field."],
  [
    "users.objectpermission",
    "constraints",
    "dcim.interface has nothing to filter by tenant__name with this value.",
    undefined,
    expect.stringMatching(/^tenant__name: interfaces have no field "tenant"\. Their fields: .*\bdevice\b/)
  ],
  [
    "users.objectpermission",
    "constraints",
    "dcim.interface has nothing to filter by device__name__like with this value.",
    undefined,
    expect.stringMatching(/^device__name__like: there is no comparison "like"\. Use one of: exact, in, /)
  ],
  [
    "users.objectpermission",
    "constraints",
    "dcim.site has nothing to filter by status__in with this value.",
    undefined,
    "status__in: the value does not fit. A list is for in and range, true or false for isnull, and one value for all others."
  ],
  [site, "name", "A message of the service in plain words.", "x", "A message of the service in plain words."]
])("%s.%s: %s", (id, name, message, input, words) => {
  expect(inWords({ type: objectType(id), name, message, input })).toEqual(words)
})

/** Words of Python and Django that nobody understands who fills in a form. */
const foreign =
  /<class|NoneType|\bdict(ionary)?\b|\bpk\b|content type|\{'|A valid |Must be a valid|is not a valid choice|nothing to ask|Ruleset/

const inputs: ReadonlyArray<string> = [
  ...["x", "dc9", "-1", "99999999999999999999", "1e999", "1.23456789", "true", "2026-02-31", "null"],
  ...["{", "[1", '{"a": 1}', "[{}]", "[[1]]", "\0", "\ud800", "x".repeat(5000)]
]

describe("every field of every form", () => {
  it.each([...registry.values()].filter(({ isReadOnly }) => !isReadOnly).map((type) => [type.id, type] as const))(
    "of %s tells its faults in people's words",
    (_, type) => {
      const { fields } = formOf(type, [])
      for (const input of ["", ...inputs]) {
        const cells = Object.fromEntries(fields.map(({ name }) => [name, input]))
        const { errors } = draft(type, withNamedReferences(type, bodyOfCells(type, cells)), true)
        const told = Object.entries(errors).flatMap(([name, messages]) =>
          textsIn(messages).map((message) => inWords({ type, name, message, input }))
        )
        expect(told.filter((words) => foreign.test(words))).toEqual([])
      }
    }
  )

  it.each([...registry.values()].map((type) => [type.id, type] as const))("of %s: so do its filters", (_, type) => {
    for (const input of inputs) {
      const query = Object.keys(type.fields).map((name) => [name, input] as [string, string])
      const read = filter(type, query, allVisible, { strict: true })
      const told = Object.entries("errors" in read ? read.errors : {}).flatMap(([name, messages]) =>
        textsIn(messages).map((message) => inWords({ type, name, message, input }))
      )
      expect(told.filter((words) => foreign.test(words) || /^Enter a |Select a /.test(words))).toEqual([])
    }
  })
})

it("tells every fault of a condition in people's words", () => {
  const documents: ReadonlyArray<unknown> = [
    ...["text", 1, true, [], { and: {} }, { xor: [] }, { and: [], or: [] }, { and: ["x"] }, { attr: 1, value: 1 }],
    ...[
      { attr: "a" },
      { attr: "a", op: "gt", value: "x" },
      { attr: "a", op: "nope", value: 1 },
      { attr: "a", value: {} }
    ],
    ...[
      { attr: "a", op: 1, value: 1 },
      { attr: "a", value: 1, negate: "no" },
      { attr: "a", op: "regex", value: "(" }
    ],
    ...[
      { attr: "{{ a }}", value: 1 },
      { attr: "a", value: 1, other: 1 },
      { attr: "a", op: "changed", value: 1 }
    ]
  ]
  for (const document of documents) {
    let message = ""
    try {
      parse(document)
    } catch (error) {
      message = (error as Error).message
    }
    const words = inWords({ type: objectType(webhook), name: "conditions", message, input: JSON.stringify(document) })
    expect([message === "", foreign.test(words), words]).toEqual([false, false, words])
  }
})

it("tells every fault of a constraint in people's words", () => {
  const documents: ReadonlyArray<unknown> = [
    1,
    "x",
    [1],
    { constructor: 1 },
    { tenant__name: "x" },
    { device__nope: 1 },
    { device__name__in: "x" },
    { device__name__exact__in: 1 },
    { id__foo: 1 },
    { device_id__foo: 1 },
    { device__exact__foo: 1 }
  ]
  for (const document of documents) {
    const read = constraint(objectType("dcim.interface"), document)
    const [message = ""] = "errors" in read ? textsIn(read.errors["constraints"]!) : []
    const words = inWords({ type: objectType("users.objectpermission"), name: "constraints", message })
    expect([message === "", foreign.test(words), words]).toEqual([false, false, words])
  }
})

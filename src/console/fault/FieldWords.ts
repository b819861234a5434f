/** Messages of fields, references and custom fields in people's words: a table of NetBox's messages. Pure. */
import type { Field } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { customPrefix } from "../../inventory/derive/filter/CustomFieldFilter.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import { shortened } from "../list/Cell.ts"
import { fieldTitle, inSentence, nameOf, pluralOf } from "../value/Title.ts"

export interface Fault {
  /** The object type of the form or list. */
  readonly type: ObjectType
  /** The name under which the error is reported: of a field, of a filter, of an input `cf_<name>`, or `__all__`. */
  readonly name: string
  /** As the API has it. */
  readonly message: string
  /** The typed text; undefined where it is not known. */
  readonly input?: string | undefined
}

/** The field and the input that the message is about. */
export interface Subject {
  readonly fault: Fault
  /** Undefined for rules about the whole object, and for custom fields. */
  readonly field: Field | undefined
  /** The type that a reference points at. */
  readonly target: ObjectType | undefined
  /** The typed text, in quotes and short; "This" where it is not known. */
  readonly typed: string
}

type Rule = readonly [pattern: RegExp, words: (found: ReadonlyArray<string>, subject: Subject) => string | undefined]

export const translated = (message: string, subject: Subject): string => {
  for (const [pattern, words] of rules) {
    const found = pattern.exec(message)
    const told = found === null ? undefined : words(found.slice(1), subject)
    if (told !== undefined) return told
  }
  return message
}

/** Longest text that a message repeats, characters. */
const quotedMax = 60

export const quoted = (text: string): string => `"${shortened(text.trim(), quotedMax)}"`

/** Most choices that are listed. */
const choicesMax = 30

const choicesOf = ({ choices = {} }: Field): ReadonlyArray<string> =>
  Object.entries(choices).map(([key, label]) =>
    label.toLowerCase() === key.toLowerCase() ? label : `${label} (${key})`
  )

const listed = (all: ReadonlyArray<string>): string =>
  all.slice(0, choicesMax).join(", ") + (all.length > choicesMax ? ` and ${all.length - choicesMax} more` : "")

const wrongChoice = (chosen: string, { field }: Subject): string | undefined =>
  field?.choices === undefined ? undefined : `${quoted(chosen)} is not one of the choices: ${listed(choicesOf(field))}.`

/** How an object of a type is named in a form. */
const namedBy = (target: ObjectType | undefined): string => {
  const key = target === undefined ? "id" : naturalKey(target)
  return key === "id" ? "Search for it, or write its id." : `Search for it, or write its id or ${key}.`
}

const one = (target: ObjectType | undefined): string => (target === undefined ? "object" : nameOf(target))

const notFound = (named: string, target: ObjectType | undefined): string =>
  `There is no ${one(target)} ${named} that you may use. ${namedBy(target)}`

/** Attributes as Python prints them: `{'name': 'R1', 'site__slug': 'osl'}` -> `with the name "R1" and the site slug "osl"`. */
const withAttributes = (printed: string): string => {
  const pairs = [...printed.matchAll(/'(\w+)': ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,{}]+)/g)]
  if (pairs.length === 0) return "with these attributes"
  const words = pairs.map(([, name = "", value = ""]) => {
    const text = /^['"]/.test(value) ? value.slice(1, -1) : value
    return `the ${inSentence(fieldTitle(name.replaceAll("__", "_")))} ${quoted(text)}`
  })
  return `with ${words.join(" and ")}`
}

const custom = (name: string, words: string, { fault }: Subject): string =>
  fault.name.startsWith(customPrefix) ? words : `Custom field ${name}: ${words}`

/** Whether the field is the id of an object whose type another field holds. */
const isIdOfAny = ({ fault }: Subject): boolean =>
  Object.values(fault.type.fields).some(({ generic }) => generic?.id === fault.name)

const wholeNumber = (subject: Subject): string =>
  isIdOfAny(subject) || subject.target !== undefined
    ? `${subject.typed} is not an id. ${namedBy(subject.target)}`
    : `${subject.typed} is not a whole number. Write digits only, such as 42.`

const tooLong = (most: string, { fault: { input } }: Subject): string => {
  const length = [...(input ?? "")].length
  return length > Number(most)
    ? `The text has ${length} characters; at most ${most} are possible. Shorten it.`
    : `At most ${most} characters are possible. Shorten the text.`
}

const fillIn = "Fill in this field."
const asList = "Write a list, with commas between its items."
const day = "Write a day as year, month and day: 2026-11-20."
const moment = "Write a date and a time, such as 2026-11-20T14:30:00Z."

const wrongType = (id: string, { field }: Subject): string => {
  const possible = field?.generic?.types
  return possible === undefined
    ? `${quoted(id)} is not an object type that can be chosen here. Object types are written as dcim.site.`
    : `${quoted(id)} is not an object type that can be chosen here. Possible: ${listed(possible)}.`
}

const rules: ReadonlyArray<Rule> = [
  // Custom fields: their name, then a reason of its own.
  [
    /^Invalid value for custom field '(\w+)': ([^]*)$/,
    ([name, reason], subject) =>
      custom(name!, translated(reason!, { ...subject, field: undefined, target: undefined }), subject)
  ],
  [/^Missing required custom field '(\w+)'\.$/, ([name], subject) => custom(name!, fillIn, subject)],
  [
    /^Unknown field name '(.*)' in custom field data\.$/,
    ([name], { fault }) => `${pluralOf(fault.type)} have no custom field ${quoted(name!)}.`
  ],
  [/^Value must match regex '([^]*)'$/, ([pattern]) => `The text must match the pattern ${pattern}`],
  [/^Value must be at least (.*)$/, ([least]) => `The number must be ${least} or more.`],
  [/^Value must not exceed (.*)$/, ([most]) => `The number must be ${most} or less.`],
  [
    /^Invalid choice \(([^]*)\)\. Available choices are: ([^]*)$/,
    ([chosen, all]) => `${quoted(chosen!)} is not one of the choices: ${all}.`
  ],
  [
    /^Value must be an object ID|^Value must be a list of object IDs/,
    (_, { typed }) => `${typed} is not an id. Search for the object, or write its id.`
  ],
  [/^Value must be an integer\.$/, (_, { typed }) => `${typed} is not a whole number. Write digits only, such as 42.`],
  [
    /^Value must be a decimal\.$|^A valid number is required\.$/,
    (_, { typed }) => `${typed} is not a number. Write digits with a point, such as 12.5.`
  ],
  [
    /^Value must be true or false\.$|^Must be a valid boolean\.$/,
    (_, { typed }) => `${typed} is neither yes nor no. Choose one, or write true or false.`
  ],
  [
    /^Date values must be in|^Date has wrong format|^Enter a valid date\.$/,
    (_, { typed }) => `${typed} is not a date. ${day}`
  ],
  [
    /^Date and time values must be in|^Datetime has wrong format|^Enter a valid date\/time\.$/,
    (_, { typed }) => `${typed} is not a date and time. ${moment}`
  ],
  [/^Value must be a list of choices\.$/, () => "Choose some of the choices."],
  // Values that are missing or too long.
  [/^(This field is required|This field may not be (blank|null)|Required field cannot be empty)\.$/, () => fillIn],
  [/^This list may not be empty\.$/, () => "Choose one at least."],
  [/^Ensure this field has no more than (\d+) characters\.$/, ([most], subject) => tooLong(most!, subject)],
  [/^Ensure this field has at least (\d+) characters\.$/, ([least]) => `At least ${least} characters are needed.`],
  [/^Ensure this field has no more than (\d+) elements\.$/, ([most]) => `At most ${most} items are possible.`],
  // Numbers.
  [/^A valid integer is required\.$|^Enter a whole number\.$/, (_, subject) => wholeNumber(subject)],
  [/^Enter a number\.$/, (_, subject) => wholeNumber(subject)],
  [/^String value too large\.$/, () => "The number has too many digits."],
  [/^Ensure this value is greater than or equal to (.*)\.$/, ([least]) => `The number must be ${least} or more.`],
  [/^Ensure this value is less than or equal to (.*)\.$/, ([most]) => `The number must be ${most} or less.`],
  [
    /^Ensure that there are no more than (\d+) digits before the decimal point\.$/,
    ([most]) => `At most ${most} digits are possible before the point.`
  ],
  [
    /^Ensure that there are no more than (\d+) decimal places\.$/,
    ([most]) => `At most ${most} digits are possible after the point.`
  ],
  // Choices.
  [
    /^Select a valid choice\. ([^]*) is not one of the available choices\.$/,
    ([chosen], subject) => wrongChoice(chosen!, subject) ?? notFound(quoted(chosen!), subject.target)
  ],
  [/^"([^]*)" is not a valid choice\.$/, ([chosen], subject) => wrongChoice(chosen!, subject)],
  [/^([^]*) is not a valid choice\.$/, ([chosen], subject) => wrongChoice(chosen!, subject)],
  [/^Value must be passed directly/, () => "Write one of the choices itself, and no list and no object."],
  [/^Invalid content type: ([^]*)$/, ([id], subject) => wrongType(id!, subject)],
  [/^Invalid value\. Specify a content type as/, (_, subject) => wrongType(subject.fault.input ?? "", subject)],
  [
    /^Cannot set (\w+) without (\w+)\.$/,
    ([, missing]) => `Fill in ${inSentence(fieldTitle(missing!.replace(/_id$/, "")))}, too, or leave both empty.`
  ],
  // References.
  [
    /^Related object not found using the provided attributes: (\{[^]*?\})(?:\. Objects of type ([\w.]+) are named by exact values of: (.*)\.)?$/,
    ([attributes, id, names], { target }) =>
      id === undefined
        ? notFound(withAttributes(attributes!), target)
        : `${pluralOf(objectType(id))} cannot be named ${withAttributes(attributes!).replace("with", "by")}. Name them by: ${names}.`
  ],
  [
    /^Related object not found using the provided numeric ID: (.*)$|^Invalid pk "(.*)" - object does not exist\.$/,
    ([id, pk], { target }) => notFound(`with the id ${id ?? pk}`, target)
  ],
  [
    /^Multiple objects match the provided attributes: ([^]*)$/,
    ([attributes], { target }) =>
      `There is more than one ${one(target)} ${withAttributes(attributes!)}. Write the id of the one that you mean.`
  ],
  [
    /^Related objects must be referenced by[^]*unrecognized value: ([^]*)$/,
    ([value], { target }) =>
      `${quoted(value!)} does not name ${/^[aeio]/i.test(one(target)) ? "an" : "a"} ${one(target)}. ${namedBy(target)}`
  ],
  [
    /^Incorrect type\. Expected pk value/,
    (_, { target, typed }) =>
      `${typed} does not name ${inSentence(target === undefined ? "objects" : pluralOf(target))}. ${namedBy(target)}`
  ],
  [
    /^Cannot assign self or child (.*) as parent\.$/,
    ([label]) => `A ${label} cannot be below itself. Choose another parent.`
  ],
  [
    /^(.*) with this (.*) already exists\.$/,
    ([label, names], { typed }) =>
      `There is another ${label!.toLowerCase() === label ? label : inSentence(label!)} with this ${inSentence(names!)}${typed === "This" ? "" : `, ${typed}`}. Choose another one.`
  ],
  // Texts.
  [/^Not a valid string\.$/, () => "Write a text. The value is not a text, or has characters that cannot be stored."],
  [/^Null characters are not allowed\.$/, () => "The text has an invisible character (code 0). Remove it."],
  [
    /^Enter a valid "slug"/,
    (_, { typed }) => `${typed} is not a slug. Use letters, digits, - and _ only, such as core-switch.`
  ],
  [
    /^Enter a valid hexadecimal RGB color code\.$/,
    (_, { typed }) => `${typed} is not a color. Write six digits from 0 to 9 and a to f in lower case, such as 9e9e9e.`
  ],
  [/^Enter a valid email address\.$/, (_, { typed }) => `${typed} is not an email address such as name@example.com.`],
  [
    /^Enter a valid URL\.$/,
    (_, { typed }) => `${typed} is not a web address. It begins with https:// or http://, such as https://example.com/.`
  ],
  [
    /^A valid timezone is required\.$/,
    (_, { typed }) => `${typed} is not a time zone. Write a name such as Europe/Berlin.`
  ],
  [
    /^(Must be|Enter) a valid UUID\.$/,
    (_, { typed }) => `${typed} is not a UUID such as 6f1c9a4e-1b7a-4f0e-9d53-0c2f7a8e1b22.`
  ],
  [
    /^Invalid IP address format: ([^]*)$/,
    ([text], { field }) =>
      `${quoted(text!)} is not an IP address${field?.type === "cidr" ? " of a network" : ""}. Write one such as ${field?.placeholder ?? "192.0.2.1"}.`
  ],
  [
    /^(?:Invalid|Enter a valid) (MAC|WWN)\b/,
    ([kind], { typed, field }) =>
      `${typed} is not a ${kind} address. Write one such as ${field?.placeholder ?? "00:01:02:03:04:05"}.`
  ],
  [
    /^Enter a valid IPv4 or IPv6 address/,
    (_, { typed }) => `${typed} is not an IP address. Write one such as 192.0.2.1 or 192.0.2.0/24.`
  ],
  [/^Expected a list of items but got type/, () => asList],
  [/^(Invalid data\. )?Expected a dictionary/, () => "Write a JSON object in braces, with names and values."],
  [/^Value must be valid JSON\.$/, () => `This cannot be stored as JSON: it has characters that no database keeps.`],
  [
    /^Filter parameters must be stored as a dictionary/,
    () => `Write a JSON object of filters and their values, such as {"status": ["active"]}.`
  ],
  [/^Unknown field\.$/, (_, { fault }) => `${pluralOf(fault.type)} have no field of this name.`],
  [
    /^Unknown filter\.$/,
    (_, { fault }) =>
      `${pluralOf(fault.type)} have no filter ${quoted(fault.name)}. Choose one under Filters, or remove it.`
  ]
]

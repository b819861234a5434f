/** The fields of a form, from the declaration of an object type and from its custom fields: both are described alike. */
import { holdsTypes } from "../../inventory/Grammar.ts"
import type { Field } from "../../inventory/Field.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import type { CustomField } from "../../inventory/types/extras/CustomField.ts"
import { fieldTitle, nameOf, pluralOf } from "../value/Title.ts"

/**
 * Which control shows it: `lines` is a text of several lines, `several` some of a few choices, `list` a list of texts,
 * `moment` a point in time, of which the day will do.
 */
type Control =
  | "text"
  | "lines"
  | "secret"
  | "choice"
  | "several"
  | "list"
  | "date"
  | "moment"
  | "color"
  | "reference"
  | "references"

export interface FormField {
  /** The name of its input: the field's own; `cf_` and its name for a custom field. */
  readonly name: string
  readonly title: string
  readonly control: Control
  readonly group: string
  readonly help: string
  readonly placeholder: string
  readonly isRequired: boolean
  readonly isBlankable: boolean
  readonly maxLength?: number | undefined
  /** Whether a secret is one of the service, and no password of a person that a browser should remember. */
  readonly isSealed?: boolean | undefined
  /** Value and label of what may be chosen. */
  readonly options?: Readonly<Record<string, string>> | undefined
  /** The field whose text a slug is made from as long as none is typed. */
  readonly slugFrom?: string | undefined
  /** Id of the object type that a reference points at. */
  readonly target?: string | undefined
  /** The field that holds the id of that type, where several are possible. */
  readonly targetIn?: string | undefined
  /** The field that names the source of the object types that a list has, where that may be another than the inventory. */
  readonly sourceIn?: string | undefined
  readonly custom?: CustomField | undefined
}

/** An object type with the custom fields that it has now. */
export interface Form {
  readonly type: ObjectType
  /** In the order in which they are shown. */
  readonly fields: ReadonlyArray<FormField>
}

const customPrefix = "cf_"

/** `isNew`: the form creates an object, and also has the flags that are not stored. */
export const formOf = (type: ObjectType, definitions: ReadonlyArray<CustomField>, isNew = false): Form => {
  const flags = isNew ? inputFields(type) : []
  const fields = [...declaredFields(type), ...flags, ...definitions.flatMap(customField)]
  const groups = groupsInOrder(type, fields)
  return { type, fields: groups.flatMap((group) => fields.filter((field) => field.group === group)) }
}

const declaredFields = perType((type): ReadonlyArray<FormField> => {
  const groups = groupsOf(type)
  return writtenFields(type).flatMap(([name, field]) => [
    ...endType(field, groups.get(name)!),
    {
      name,
      // People choose the object, and not its id.
      title: fieldTitle(typeFieldOf(type, name) === undefined ? name : name.replace(/_id$/, "")),
      control: controlOf(type, name, field),
      group: groups.get(name)!,
      help: field.help ?? "",
      placeholder: field.placeholder ?? "",
      isRequired: field.initial === undefined,
      isBlankable: field.nullable,
      maxLength: field.maxLength,
      isSealed: field.sealed,
      slugFrom:
        field.format === "slug" ? ["name", "model"].find((each) => Object.hasOwn(type.fields, each)) : undefined,
      options: optionsOf(type.fields[typeFieldOf(type, name) ?? name]!),
      target: field.reference?.ends === undefined ? field.reference?.type : undefined,
      targetIn: typeFieldOf(type, name) ?? field.reference?.ends?.typeIn,
      sourceIn: holdsTypes(field) ? field.readBy : undefined
    }
  ])
})

const inputFields = ({ creation }: ObjectType): ReadonlyArray<FormField> =>
  Object.entries(creation.inputs ?? {}).map(([name, field]) => ({
    ...{ name, title: fieldTitle(name), control: "choice", group: "Components" },
    ...{ help: field.help ?? "", placeholder: "", isRequired: false, isBlankable: false },
    options: optionsOf(field)
  }))

/** The choice of the type of the objects at a side of a cable. */
const endType = ({ reference }: Field, group: string): ReadonlyArray<FormField> =>
  reference?.ends === undefined
    ? []
    : [
        {
          ...{ name: reference.ends.typeIn, title: fieldTitle(reference.ends.typeIn), control: "choice", group },
          ...{ help: "", placeholder: "", isRequired: true, isBlankable: false },
          options: titlesOf(reference.ends.types)
        }
      ]

/** The fields that people may set in a form; custom fields are shown one by one, and images are uploaded. */
const writtenFields = ({ fields }: ObjectType): ReadonlyArray<readonly [name: string, field: Field]> =>
  Object.entries(fields).filter(
    ([name, { wire, format }]) =>
      (wire === "both" || wire === "write") && name !== "custom_fields" && format !== "image"
  )

/** Longest text that has one line, characters; the path of a file has as many. */
const lineCharsMax = 4096

/** Whether its texts may have several lines. */
export const isLong = ({ maxLength }: Pick<Field, "maxLength">): boolean =>
  maxLength === undefined || maxLength > lineCharsMax

const controlOf = (type: ObjectType, name: string, field: Field): Control => {
  const { wire, reference } = field
  if (wire === "write") return "secret"
  if (reference !== undefined) return reference.many ? "references" : "reference"
  if (typeFieldOf(type, name) !== undefined) return "reference"
  if (field.suggested !== undefined) return "several"
  if (field.type.endsWith("[]")) return "list"
  if (optionsOf(field) !== undefined) return "choice"
  if (field.type === "date") return "date"
  if (field.type === "timestamptz") return "moment"
  if (field.format === "color") return "color"
  return field.type === "jsonb" || (field.type === "text" && isLong(field)) ? "lines" : "text"
}

/** The field that says of which type the object is whose id this field holds. */
const typeFieldOf = ({ fields }: ObjectType, name: string): string | undefined =>
  Object.entries(fields).find(([, { generic }]) => generic?.id === name)?.[0]

const optionsOf = ({ choices, suggested, type, generic, grammar, reference }: Field): FormField["options"] => {
  if (reference?.ends !== undefined) return titlesOf(reference.ends.types)
  if ((choices ?? suggested) !== undefined) return choices ?? suggested
  if (type === "boolean") return { true: "Yes", false: "No" }
  if (generic !== undefined) return titlesOf(generic.types)
  return holdsTypes({ grammar }) ? titlesOf(undefined) : undefined
}

/** The names of object types by id; of all that people write, where none are named. */
const titlesOf = (ids: ReadonlyArray<string> | undefined): Readonly<Record<string, string>> => {
  const written = [...registry.values()].filter(({ kind }) => kind === "object").map(({ id }) => id)
  return Object.fromEntries((ids ?? written).map((id) => [id, fieldTitle(objectType(id).label)]))
}

const notes = "Notes"
const customGroup = "Custom fields"
const classification = "Classification"

/** Groups of the usual fields, in this order, behind what an object is called. */
const usualGroups = [classification, "Place", "Addresses"]

/** The first group: what an object is called. */
const identityOf = (type: ObjectType): string => fieldTitle(nameOf(type))

/** The group of each field: the declared one, or the usual one if it has two fields or more. */
const groupsOf = (type: ObjectType): ReadonlyMap<string, string> => {
  const declared = new Map(
    Object.entries(type.groups).flatMap(([title, names]) => names.map((name) => [name, title] as const))
  )
  const found = writtenFields(type).map(([name, field]) => [name, declared.get(name) ?? usualGroup(field)] as const)
  const sizes = Map.groupBy(found, ([, group]) => group)
  const stays = (group: string) =>
    group === notes || Object.hasOwn(type.groups, group) || (group !== "" && sizes.get(group)!.length > 1)
  return new Map(found.map(([name, group]) => [name, stays(group) ? group : identityOf(type)] as const))
}

/** "" for what an object is called. */
const usualGroup = ({ reference, choices, type, maxLength, wire, generic }: Field): string => {
  if (reference !== undefined) return objectType(reference.type).fieldGroup ?? classification
  if (choices !== undefined) return classification
  if (generic !== undefined) return ""
  return type === "text" && maxLength === undefined && wire === "both" ? notes : ""
}

const groupsInOrder = (type: ObjectType, fields: ReadonlyArray<FormField>): ReadonlyArray<string> => {
  const found = new Set(fields.map(({ group }) => group))
  const first = [identityOf(type), ...usualGroups, ...Object.keys(type.groups)]
  const last = new Set([...found].filter((group) => group === notes))
  return [...new Set([...first.filter((group) => found.has(group)), ...found]).difference(last), ...last]
}

const controls: Readonly<Record<CustomField["type"], Control>> = {
  text: "text",
  longtext: "lines",
  integer: "text",
  decimal: "text",
  boolean: "choice",
  date: "date",
  datetime: "moment",
  url: "text",
  json: "lines",
  select: "choice",
  multiselect: "several",
  object: "reference",
  multiobject: "references"
}

/** The input of a custom field; none where forms are not to show it. */
const customField = (custom: CustomField): ReadonlyArray<FormField> => {
  const { type, name, label, group_name: group, object_type: target, choices } = custom
  if (custom.ui_visibility === "hidden" || custom.ui_visibility === "read-only") return []
  return [
    {
      name: `${customPrefix}${name}`,
      title: label === "" ? fieldTitle(name) : label,
      control: controls[type],
      group: group === "" ? customGroup : group,
      help: custom.description,
      placeholder: placeholders[type] ?? "",
      isRequired: custom.required,
      isBlankable: !custom.required,
      options:
        type === "boolean"
          ? { true: "Yes", false: "No" }
          : choices.length === 0
            ? undefined
            : Object.fromEntries(choices.map((choice) => [choice, choice])),
      target: target ?? undefined,
      custom
    }
  ]
}

const placeholders: Readonly<Partial<Record<CustomField["type"], string>>> = {
  datetime: "2026-11-20T14:30:00Z",
  url: "https://example.com/"
}

/** How people can name an object of the type in a form: `Id or slug`. */
export const keysOf = (target: ObjectType, isMany: boolean): string => {
  const key = naturalKey(target)
  if (isMany) return key === "id" ? "Ids" : `Ids or ${key}s`
  return key === "id" ? "Id" : `Id or ${key}`
}

/** The object type that a reference points at, in a form with these cells; undefined as long as none is chosen. */
export const targetOf = ({ target, targetIn }: FormField, cells: Readonly<Record<string, string>>) =>
  registry.get(target ?? (targetIn === undefined ? "" : (cells[targetIn] ?? "")))

/** `Regions`, for texts. */
export const targetsOf = (target: ObjectType | undefined): string =>
  target === undefined ? "objects" : pluralOf(target)

import {
  type CustomDefinition,
  type Field,
  type Row,
  type View,
  invalid,
  isDictionary,
  makeField,
  typeName,
  value
} from "../Field.ts"
import { Unreadable, bounds, parseJson, readableJson, shownOf } from "../Unreadable.ts"

/** Most values that a request may give one object: each that has no custom field costs a message. */
const valuesMax = 1000

/**
 * The custom values of an object, by the names of the custom fields of its type: `jsonb` in the
 * table. A write names some of them, the others stay (CustomValues.ts); on the wire and in a snapshot all are there.
 */
export const customFields = (): Field<Readonly<Record<string, unknown>>> =>
  makeField(
    {
      type: "jsonb",
      initial: () => ({}),
      sqlDefault: "'{}'",
      constraint: bounds.json,
      sparesOldRows: true,
      fromText: parseJson,
      fromJson: (values) => {
        if (!(readableJson(values) instanceof Unreadable) || !isDictionary(values)) return values
        return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, readableJson(value)]))
      },
      represent: (values, view, type) => shown(values, view, type, represent),
      snapshot: (values, view, type) => shown(values, view, type, (_, value) => value),
      parse: (input) => {
        if (!isDictionary(input)) return invalid(`Expected a dictionary of items but got type "${typeName(input)}".`)
        const given = Object.keys(input).length
        return given > valuesMax ? invalid(`Ensure this field has no more than ${valuesMax} elements.`) : value(input)
      }
    },
    {}
  )

const shown = (
  values: unknown,
  view: View,
  type: string,
  show: (definition: CustomDefinition, value: unknown, view: View) => unknown
): unknown =>
  Object.fromEntries(
    view.customFields(type).map((definition) => {
      const { name } = definition
      const value = isDictionary(values) && Object.hasOwn(values, name) ? values[name] : null
      return [name, show(definition, shownOf(value), view)]
    })
  )

const represent = ({ type, object_type: target }: CustomDefinition, value: unknown, view: View): unknown => {
  const nested = (id: number) => (target === null ? null : view.nested(target, id))
  switch (type) {
    case "object":
      return typeof value === "number" ? nested(value) : null
    case "multiobject":
      return Array.isArray(value) ? value.map((id) => nested(Number(id))).filter(Boolean) : null
    default:
      return value
  }
}

/**
 * The objects that custom fields of these rows point at: ids by object type. Plain SQL can make a custom field that
 * names no declared type; its values point at nothing.
 */
export const customReferences = (
  definitions: ReadonlyArray<CustomDefinition>,
  rows: Iterable<Row>,
  declared: Pick<ReadonlyMap<string, unknown>, "has">
): ReadonlyMap<string, ReadonlySet<number>> => {
  const wanted = new Map<string, Set<number>>()
  const pointing = definitions.filter(
    ({ type, object_type: target }) => (type === "object" || type === "multiobject") && declared.has(String(target))
  )
  if (pointing.length === 0) return wanted
  for (const { custom_fields: values } of rows) {
    if (!isDictionary(values)) continue
    for (const { name, object_type: target } of pointing) {
      const ids = wanted.get(String(target)) ?? new Set<number>()
      wanted.set(String(target), ids)
      const named = Object.hasOwn(values, String(name)) ? values[String(name)] : undefined
      for (const id of [named].flat()) if (Number.isSafeInteger(id)) ids.add(Number(id))
    }
  }
  return wanted
}

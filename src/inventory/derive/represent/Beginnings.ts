/**
 * The columns that objects are read with. For pages long values are cut in the database: a value may have 16 MiB, and
 * the event loop would parse it. Pure.
 */
import { type ObjectType, columnOf, perType } from "../../ObjectType.ts"

/** Most characters of a text or of JSON. */
const lengthMax = 20_000

/** Most items of a list. */
const itemsMax = 1000

const rest = (text: string): string => `'… (' || length(${text}) - ${lengthMax} || ' characters more)'`

const beginning = (text: string): string => `left(${text}, ${lengthMax}) || ${rest(text)}`

const readFields = (type: ObjectType) => Object.entries(type.fields).filter(([, { isApart }]) => isApart !== true)

/** SQL of the columns of `t` that pages of objects are read with. */
export const wholeColumns = perType((type): string => {
  const fields = readFields(type)
  if (fields.length === Object.keys(type.fields).length) return "t.*"
  return ["t.id", ...fields.map(([name]) => `t.${columnOf(type, name)}`)].join(", ")
})

/** The same, under their own names. What was cut is a text that says so. */
export const beginnings = perType((type): string => {
  const columns = readFields(type).map(([name, { type: kind, maxLength, reference }]) => {
    const column = columnOf(type, name)
    const value = `t.${column}`
    if (kind === "text" && maxLength === undefined) {
      return `case when length(${value}) > ${lengthMax} then ${beginning(value)} else ${value} end as ${column}`
    }
    if (kind.endsWith("[]") && reference === undefined) return `${value}[1:${itemsMax}] as ${column}`
    if (name === "custom_fields") return `${customFields(value)} as ${column}`
    return kind === "jsonb" || kind === "json" ? `${json(value, kind)} as ${column}` : value
  })
  return ["t.id", ...columns].join(", ")
})

const json = (value: string, kind: string): string => {
  const text = `${value}::text`
  return `case when length(${text}) > ${lengthMax} then to_${kind}(${beginning(text)}) else ${value} end`
}

/** A dictionary keeps its shape: each of its values is cut. */
const customFields = (value: string): string =>
  `case when length(${value}::text) > ${lengthMax} and jsonb_typeof(${value}) = 'object'
        then (select jsonb_object_agg(e.key, ${json("e.value", "jsonb")}) from jsonb_each(${value}) e)
        else ${value} end`

/**
 * Which values of a NetBox database become the fields of an object type, as SQL. Pure.
 *
 * Derived from the declaration of the type: a field has the column of its name; references to several objects have a
 * table of pairs; a generic reference has the number of a content type. `map/` has the exceptions.
 */
import { holdsTypes } from "../../inventory/Grammar.ts"
import type { Field } from "../../inventory/Field.ts"
import { type ObjectType, columnOf } from "../../inventory/ObjectType.ts"
import { type Catalogue, hasAll, identifier, literal } from "./Catalogue.ts"
import { type FieldSource, type Mapping, type SourceKind, column } from "./Mapping.ts"
import { mappings } from "./Mappings.ts"

export interface SelectedField {
  readonly name: string
  readonly kind: SourceKind
  readonly sql: string
}

/** The rows of an object type in a source. */
export interface Selection {
  readonly type: ObjectType
  readonly table: string
  readonly fields: ReadonlyArray<SelectedField>
  /** Columns without a field, and other values without one: name and SQL. */
  readonly homeless: ReadonlyArray<readonly [name: string, sql: string]>
  readonly usual: Readonly<Record<string, unknown>>
  /** The reference to the parent in a tree, by which rows are read level by level. */
  readonly parent: string | undefined
  /** SQL over `t`: the rows that are objects of the type. */
  readonly where: string
  readonly leftovers: ReadonlyArray<{ readonly table: string; readonly where: string }>
  /** All tables that it reads. */
  readonly reads: ReadonlyArray<string>
}

/** Columns that NetBox computes, and caches in later releases. */
const computed = /^_|_count$|^(?:lft|rght|tree_id|level|cable_end|cable_id)$/

/** Fields that requests cannot write, but which belong to the object all the same. */
const times: ReadonlySet<string> = new Set(["created", "last_updated"])

/** The selection of a type; undefined where the source does not have it. */
export const selectionOf = (type: ObjectType, source: Catalogue): Selection | undefined => {
  for (const mapping of mappings.get(type.id) ?? [{ type: type.id }]) {
    const names = mapping.table === undefined ? [type.table, ...(mapping.tables ?? [])] : [mapping.table]
    const table = names.find((name) => source.tables.has(name))
    if (table !== undefined && hasAll(source, table, mapping.needs ?? []))
      return selected({ type, mapping, table, source })
  }
  return undefined
}

interface Mapped {
  readonly type: ObjectType
  readonly mapping: Mapping
  readonly table: string
  readonly source: Catalogue
}

const selected = ({ type, mapping, table, source }: Mapped): Selection => {
  const chosen = Object.entries(type.fields).flatMap(([name, field]) => {
    const own = mapping.fields?.[name]
    if (
      own === undefined &&
      field.wire !== "both" &&
      field.wire !== "write" &&
      field.wire !== "once" &&
      !times.has(name)
    )
      return []
    const found = [...(own ?? []), ...usualSources({ type, table, name, field })].find(({ needs }) =>
      hasAll(source, table, needs)
    )
    return found === undefined ? [] : [{ name, ...found, kind: found.kind ?? ("value" as const) }]
  })
  const homeless = Object.entries(mapping.homeless ?? {}).filter(([, { needs }]) => hasAll(source, table, needs))
  const known = new Set([
    ...["id", ...(mapping.dropped ?? [])],
    ...chosen.flatMap(({ needs }) => needs.filter((need) => !need.includes(".")))
  ])
  const left = [...source.tables.get(table)!.columns.keys()].filter((name) => !known.has(name) && !computed.test(name))
  const needed = [...chosen, ...homeless.map(([, source]) => source)].flatMap(({ needs }) => needs)
  const ofType = (sql: string): string => sql.replaceAll("$type", numbersOf(source, type))
  return {
    type,
    table,
    fields: chosen.map(({ name, kind, sql }) => ({ name, kind, sql: ofType(sql) })),
    homeless: [
      ...left.map((name) => [name, `to_jsonb(t.${identifier(name)})`] as const),
      ...homeless.map(([name, { sql }]) => [name, `to_jsonb(${ofType(sql)})`] as const)
    ],
    usual: mapping.usual ?? {},
    parent: chosen.some(({ name }) => name === "parent") ? parentOf(type) : undefined,
    where: mapping.where ?? "true",
    leftovers: mapping.leftovers ?? [],
    reads: [...new Set([table, ...needed.flatMap((need) => (need.includes(".") ? [need.split(".")[0]!] : []))])]
  }
}

/** The field of the parent where children are unique below it, or a tree is searched by its branches. */
const parentOf = (type: ObjectType): string | undefined => {
  const reference = type.fields["parent"]?.reference
  if (reference?.type !== type.id || reference.many) return undefined
  const isKey = type.unique.some(({ fields, whereNull }) => fields.includes("parent") || whereNull === "parent")
  return isKey || reference.wholeSubtree ? columnOf(type, "parent") : undefined
}

interface OfField {
  readonly type: ObjectType
  readonly table: string
  readonly name: string
  readonly field: Field
}

/** The sources of a field, if nothing else is declared: the first that exists counts. */
const usualSources = ({ type, table, name, field }: OfField): ReadonlyArray<FieldSource> => {
  if (name === "tags" && field.reference?.shownBy === undefined) return [tagged]
  if (name === "custom_fields") return [column("custom_field_data")]
  if (field.reference?.many === true) return pairs({ type, table, name, field })
  // The name of a file below the media folder (Images.ts).
  if (field.imageFolder !== undefined) return [column(name, "verbatim")]
  // The field is named after its type in later releases.
  if (field.generic !== undefined || field.describes !== undefined) {
    return [column(`${name}_id`, "contentType"), column("object_type_id", "contentType")]
  }
  if (holdsTypes(field)) return objectTypes(type, table, name, field.type === "text[]")
  return [column(columnOf(type, name), "value"), column(name, "value")]
}

const tagged: FieldSource = {
  needs: ["extras_taggeditem.*"],
  sql: "array(select g.tag_id from extras_taggeditem g where g.content_type_id = any ($type) and g.object_id = t.id order by 1)",
  kind: "ids"
}

const pairs = ({ type, table, name, field }: OfField): ReadonlyArray<FieldSource> => {
  const [own, other] = [`${type.name}_id`, `${field.reference!.type.split(".")[1]}_id`]
  const join = `${table}_${name}`
  return [
    {
      needs: [`${join}.${own}`, `${join}.${other}`],
      sql: `array(select m.${other} from ${join} m where m.${own} = t.id order by 1)`,
      kind: "ids"
    }
  ]
}

const objectTypes = (type: ObjectType, table: string, name: string, isList: boolean): ReadonlyArray<FieldSource> => {
  if (!isList) return [column(`related_${name}_id`, "contentType"), column(`${name}_id`, "contentType")]
  const lists = [
    [`${table}_object_types`, "objecttype_id"],
    [`${table}_object_types`, "contenttype_id"],
    [`${table}_content_types`, "contenttype_id"]
  ] as const
  return [
    ...lists.map(([join, id]) => ({
      needs: [`${join}.${id}`, `${join}.${type.name}_id`],
      sql: `array(select m.${id} from ${join} m where m.${type.name}_id = t.id order by 1)`,
      kind: "contentTypes" as const
    })),
    { needs: ["content_type_id"], sql: "array[t.content_type_id]", kind: "contentTypes" }
  ]
}

/** The numbers of the content types that became this object type. */
const numbersOf = ({ contentTypes }: Catalogue, type: ObjectType): string =>
  `'{${[...contentTypes].flatMap(([id, name]) => (name === type.id ? [id] : [])).join(",")}}'::int[]`

/** Fields that change by use, and not by people. */
export const byUse: ReadonlyArray<string> = ["last_used"]

/** The name of the values without a field in a row of the source; no field has a name like it. */
export const homelessName = "$homeless"

/**
 * The name of the digest of a row: it changes as the row does, but for fields that change by use, and for values without
 * a field. So an upgrade of NetBox changes it only where it changes a field.
 */
export const digestName = "$digest"

/**
 * The statement that reads the rows, as JSON: `id`, the fields, the values without one, and the digest. Parents precede
 * their children.
 */
export const rowsStatement = (selection: Selection): string => {
  const { table, homeless, parent } = selection
  const values = selection.fields.map(({ name, sql }) => `${sql} as "${name}"`)
  const others = homeless.map(([name, sql]) => `${literal(name)}, ${sql}`)
  const chunks = Array.from({ length: Math.ceil(others.length / chunkMax) }, (_, at) =>
    others.slice(at * chunkMax, (at + 1) * chunkMax)
  ).map((chunk) => `jsonb_build_object(${chunk.join(", ")})`)
  const rest = chunks.length === 0 ? "" : `, jsonb_strip_nulls(${chunks.join(" || ")}) as "${homelessName}"`
  const [depths, join, order] =
    parent === undefined
      ? ["", "", "t.id"]
      : [depthsOf(table, parent), "left join depths d on d.id = t.id", "d.depth, t.id"]
  const digest = `md5((to_jsonb(q) - '{${[...byUse, homelessName].join(",")}}'::text[])::text)`
  return `${depths} select row_to_json(r) as row from (select q.*, ${digest} as "${digestName}" from (
    select ${["t.id", ...values].join(", ")}${rest} from "${table}" t ${join}
     where ${selection.where} order by ${order}) q) r`
}

/** Most columns of one call: Postgres takes a hundred arguments. */
const chunkMax = 45

/** Rows of a tree with their depth; a row in a circle has none, and is sorted behind all others. */
const depthsOf = (table: string, parent: string): string => `with recursive depths as (
  select id, 0 as depth from "${table}" where "${parent}" is null
  union all select c.id, d.depth + 1 from "${table}" c join depths d on c."${parent}" = d.id)`

/** The statement that reads some fields alone, of the rows that have a value in one of them. */
export const fieldsStatement = (selection: Selection, names: ReadonlyArray<string>): string => {
  const some = selection.fields.filter(({ name }) => names.includes(name))
  return `select row_to_json(r) as row from (
    select ${["t.id", ...some.map(({ name, sql }) => `${sql} as "${name}"`)].join(", ")} from "${selection.table}" t
     where (${selection.where}) and (${some.map(({ sql }) => `${sql} is not null`).join(" or ")}) order by t.id) r`
}

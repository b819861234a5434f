/**
 * Declarations of templates and components -> statements that copy templates. Pure.
 *
 * Every statement begins with `owner`, the new objects: their ids (`$1`), whether they replicate the templates (`$2`) and
 * whether they adopt components (`$3`), as lists of texts.
 */
import { naturalOrder } from "../../../postgres/migrate/Collation.ts"
import { literal } from "../../../postgres/Literal.ts"
import { type ObjectType, columnOf, fieldOf } from "../../ObjectType.ts"
import { objectType } from "../../Registry.ts"
import { isTree } from "../../derive/filter/Path.ts"
import type { Instantiation } from "../../shared/Creation.ts"

/** A type of templates and the type of the components that are copies of them. */
export interface Copying {
  readonly instantiation: Instantiation
  readonly owners: ObjectType
  readonly template: ObjectType
  readonly component: ObjectType
}

export const copyingsOf = (owners: ObjectType, instantiation: Instantiation): ReadonlyArray<Copying> =>
  Object.entries(instantiation.makes).map(([template, component]) => ({
    instantiation,
    owners,
    template: objectType(template),
    component: objectType(component)
  }))

const ownerOf = ({ table }: ObjectType, { owner, joined }: Instantiation): string =>
  `owner as materialized (
     select o.n, o.replicates, o.adopts, ${owner}
       from unnest($1::text[]::bigint[], $2::text[]::boolean[], $3::text[]::boolean[])
            with ordinality o(id, replicates, adopts, n)
       join ${table} x on x.id = o.id ${joined})`

/** SQL of a text of a template as its component has it. */
const filledIn = ({ hasPlaceholder }: Instantiation, text: string): string =>
  hasPlaceholder ? `replace(${text}, '{module}', o.bay)` : text

const owned = ({ instantiation: { by }, template }: Copying): string =>
  `owner o join ${template.table} t on t.${columnOf(template, by)} = o.type_id`

const nameOf = ({ instantiation }: Copying, alias = "t"): string => filledIn(instantiation, `${alias}.name`)

/** How many templates of each type there are for the objects: a column each, by the id of the type. */
export const countStatement = (owners: ObjectType, instantiation: Instantiation): string => {
  const counts = copyingsOf(owners, instantiation).map(
    (copying) =>
      `(select count(*)::int from ${owned(copying)} where o.replicates or o.adopts) as ${JSON.stringify(copying.template.id)}`
  )
  return `with ${ownerOf(owners, instantiation)} select ${counts.join(", ")}`
}

/** The first name of each kind that cannot be given to a component of a module: `at`, `kind`, `template`, `name`. */
export const problemStatement = (copyings: ReadonlyArray<Copying>): string => {
  const [{ owners, instantiation }] = copyings as [Copying]
  const each = copyings.map((copying, place) => {
    const { template, component } = copying
    const max = fieldOf(component, "name").maxLength ?? null
    const name = nameOf(copying)
    const taken = `exists (select from ${component.table} c where c.device_id = o.device_id and c.name = ${name}`
    return `select o.n, ${place} as place, ${literal(template.id)} as template, ${name} as name, case
        when o.replicates and o.bay = '' and position('{module}' in t.name || t.label) > 0 then 'position'
        when length(${name}) > ${max} or length(${filledIn(instantiation, "t.label")}) > ${max} then 'long'
        when o.adopts and ${taken} and c.module_id is not null) then 'module'
        when o.replicates and (not o.adopts and ${taken})
          or count(*) over (partition by o.device_id, ${name}) > 1) then 'taken' end as kind
      from ${owned(copying)} where o.replicates or o.adopts`
  })
  return `with ${ownerOf(owners, instantiation)}, name as (${each.join(" union all ")})
    select distinct on (n) n::int - 1 as at, kind, template, name from name where kind is not null
     order by n, place, name collate ${naturalOrder}`
}

/** Columns of a component and their SQL over `t`, the template, and `o`, its new owner; and joins that they need. */
interface Columns {
  readonly values: ReadonlyArray<readonly [column: string, sql: string]>
  readonly joins: ReadonlyArray<string>
}

/** Fields of templates that their components do not get: what they belong to, and what people wrote about them. */
const apart: ReadonlySet<string> = new Set(["device_type", "module_type", "description", "created", "last_updated"])

const texts: ReadonlySet<string> = new Set(["name", "label"])

const columnsOf = (copying: Copying): Columns => {
  const { instantiation, template, component } = copying
  const joins: Array<string> = []
  const shared = Object.entries(template.fields).filter(
    ([name]) => !apart.has(name) && Object.hasOwn(component.fields, name)
  )
  const ids = new Set(shared.flatMap(([, { generic }]) => (generic === undefined ? [] : [generic.id])))
  const values = shared.flatMap(([name, { reference, generic }]): Columns["values"] => {
    const column = columnOf(component, name)
    if (ids.has(name) || reference?.type === template.id) return []
    if (texts.has(name)) return [[column, filledIn(instantiation, `t.${columnOf(template, name)}`)]]
    if (generic !== undefined) {
      joins.push(pointedAt(copying, name, generic.id))
      return [
        [column, "pointed.type"],
        [columnOf(component, generic.id), "pointed.id"]
      ]
    }
    const made = reference === undefined ? undefined : instantiation.makes[reference.type]
    if (made === undefined) return [[column, `t.${columnOf(template, name)}`]]
    const from = objectType(reference!.type)
    joins.push(
      `left join ${from.table} ${name}_t on ${name}_t.id = t.${columnOf(template, name)}
       left join ${objectType(made).table} ${name}_c
         on ${name}_c.device_id = o.device_id and ${name}_c.name = ${nameOf(copying, `${name}_t`)}`
    )
    return [[column, `${name}_c.id`]]
  })
  const module = Object.hasOwn(component.fields, "module") ? [["module_id", "o.module_id"] as const] : []
  return { values: [["device_id", "o.device_id"], ...module, ...values, ...defaultsOf(component)], joins }
}

/** The component that is the copy of the template which a generic reference of `t` names. */
const pointedAt = ({ instantiation, template, component }: Copying, name: string, idField: string): string => {
  const { types } = fieldOf(component, name).generic!
  const each = Object.entries(instantiation.makes).flatMap(([from, made]) =>
    types?.includes(made) === false
      ? []
      : [
          `select ${literal(made)} as type, c.id from ${objectType(from).table} k join ${objectType(made).table} c
             on c.device_id = o.device_id and c.name = k.name
            where t.${columnOf(template, name)} = ${literal(from)} and k.id = t.${columnOf(template, idField)}`
        ]
  )
  return `left join lateral (${each.join(" union all ")}) pointed on true`
}

/** The default values of custom fields, as every new object has them. */
const defaultsOf = ({ id, fields }: ObjectType): Columns["values"] =>
  Object.hasOwn(fields, "custom_fields")
    ? [
        [
          "custom_fields",
          `coalesce((select jsonb_object_agg(f.name, f.default_value) from extras_customfield f
             where f.content_types @> array[${literal(id)}] and f.default_value <> 'null'), '{}')`
        ]
      ]
    : []

const order = `o.n, t.name collate ${naturalOrder}, t.id`

/** The statement that copies the templates of one type. */
export const insertStatement = (copying: Copying): string =>
  isTree(copying.template) ? insertTree(copying) : insertFlat(copying)

const insertFlat = (copying: Copying): string => {
  const { owners, instantiation, component } = copying
  const { values, joins } = columnsOf(copying)
  const isAdopted = `o.adopts and exists (select from ${component.table} c
    where c.device_id = o.device_id and c.name = ${nameOf(copying)})`
  return `with ${ownerOf(owners, instantiation)}
    insert into ${component.table} (${values.map(([column]) => column).join(", ")})
    select ${values.map(([, sql]) => sql).join(", ")}
      from ${owned(copying)} ${joins.join(" ")}
     where o.replicates and not (${isAdopted})
     order by ${order}`
}

/**
 * Names of components below different parents may be equal: a component finds its parent by the template that both are
 * copies of. Templates that plain SQL has made their own ancestors have no root, and are not copied.
 */
const insertTree = (copying: Copying): string => {
  const { owners, instantiation, template, component } = copying
  const { values, joins } = columnsOf(copying)
  const next = `nextval(pg_get_serial_sequence(${literal(component.table)}, 'id'))`
  return `with recursive ${ownerOf(owners, instantiation)},
    tree as (
      select id, 0 as depth from ${template.table}
       where parent_id is null and ${columnOf(template, instantiation.by)} in (select type_id from owner)
      union all
      select c.id, p.depth + 1 from ${template.table} c join tree p on c.parent_id = p.id),
    copy as materialized (
      select ${next} as id, each.* from (
        select o.n, tree.depth, t.id as template_id, t.parent_id as template_parent_id,
               ${values.map(([column, sql]) => `${sql} as ${column}`).join(", ")}
          from ${owned(copying)} join tree on tree.id = t.id ${joins.join(" ")}
         where o.replicates order by o.n, tree.depth, t.name collate ${naturalOrder}, t.id) each)
    insert into ${component.table} (id, parent_id, ${values.map(([column]) => column).join(", ")})
    select copy.id, p.id, ${values.map(([column]) => `copy.${column}`).join(", ")}
      from copy left join copy p on p.n = copy.n and p.template_id = copy.template_parent_id
     order by copy.id`
}

/** The statement by which components that have no module become parts of new modules. */
export const adoptStatement = (copying: Copying): string =>
  `with ${ownerOf(copying.owners, copying.instantiation)}
   update ${copying.component.table} c set module_id = o.module_id
     from ${owned(copying)}
    where o.adopts and c.device_id = o.device_id and c.module_id is null and c.name = ${nameOf(copying)}`

/** The statements that set references between components of one type, when all of them are there. */
export const linkStatements = (copying: Copying): ReadonlyArray<string> => {
  const { owners, instantiation, template, component } = copying
  if (isTree(template)) return []
  const own = Object.entries(template.fields).filter(
    ([name, { reference }]) => reference?.type === template.id && Object.hasOwn(component.fields, name)
  )
  return own.map(
    ([name]) =>
      `with ${ownerOf(owners, instantiation)}
       update ${component.table} c set ${columnOf(component, name)} = other.id
         from ${owned(copying)} join ${template.table} other_t on other_t.id = t.${columnOf(template, name)}
         join ${component.table} other on other.device_id = o.device_id and other.name = ${nameOf(copying, "other_t")}
        where c.device_id = o.device_id and c.module_id is not distinct from o.module_id and c.name = ${nameOf(copying)}`
  )
}

/**
 * SQL: which config contexts apply to devices and virtual machines, by the rules of NetBox. Pure.
 *
 * A context applies where each of its lists is empty or has the value of the machine. Regions and site groups also apply
 * below; other trees do not, as in NetBox 3.5. Contexts apply whatever the reader may view: a machine has one context.
 */
import type { ObjectType } from "../ObjectType.ts"
import { contextsMax, mergedBytesMax, pageBytesMax } from "./Limits.ts"

/** Values of a machine that contexts compare. Without a location and a type, contexts with such a list do not apply. */
const columns: Readonly<Record<string, string>> = {
  "dcim.device": "t.site_id, t.location_id, t.device_type_id, t.device_role_id as role_id",
  "virtualization.virtualmachine":
    "t.site_id, null::bigint as location_id, null::bigint as device_type_id, t.role_id as role_id"
}

/** Whether objects of the type have a config context. */
export const hasConfigContext = ({ id }: ObjectType): boolean => Object.hasOwn(columns, id)

/** The machines of the ids in `$1`. */
const machines = ({ id, table }: ObjectType): string =>
  `select t.id as key, ${columns[id]}, t.platform_id, t.cluster_id, t.tenant_id, t.tags,
          coalesce(octet_length(t.local_context_data::text), 0) as bytes
     from ${table} t where t.id = any ($1::text[]::bigint[])`

/** The lists of a context, and SQL of the machine's value, which is one id or several. */
const criteria: ReadonlyArray<readonly [list: string, value: string, isMany?: true]> = [
  ["sites", "m.site_id"],
  ["roles", "m.role_id"],
  ["platforms", "m.platform_id"],
  ["device_types", "m.device_type_id"],
  ["tenants", "m.tenant_id"],
  ["locations", "m.location_id"],
  ["clusters", "m.cluster_id"],
  ["cluster_types", "m.cluster_type_id"],
  ["cluster_groups", "m.cluster_group_id"],
  ["tenant_groups", "m.tenant_group_id"],
  ["regions", "m.regions", true],
  ["site_groups", "m.site_groups", true],
  ["tags", "m.tags", true]
]

const applies = criteria
  .map(([list, value, isMany]) =>
    isMany === true ? `(c.${list} = '{}' or c.${list} && ${value})` : `(c.${list} = '{}' or ${value} = any (c.${list}))`
  )
  .join(" and ")

/** Nodes of a tree at and above the sites of machines, by site. */
const above = (name: string, reference: string, table: string): string =>
  `${name}(site, id) as (
     select s.id, s.${reference} from dcim_site s where s.id in (select site_id from machine) and s.${reference} is not null
     union select n.site, up.parent_id from ${name} n join ${table} up on up.id = n.id where up.parent_id is not null)`

/** The CTEs that all machines of `machine` need: where they are, and which nodes are above their sites. */
const placed = `
  ${above("region", "region_id", "dcim_region")},
  ${above("site_group", "group_id", "dcim_sitegroup")},
  placed as materialized (
    select m.*, l.type_id as cluster_type_id, l.group_id as cluster_group_id, n.group_id as tenant_group_id,
           array(select r.id from region r where r.site = m.site_id) as regions,
           array(select g.id from site_group g where g.site = m.site_id) as site_groups
      from machine m
      left join virtualization_cluster l on l.id = m.cluster_id
      left join tenancy_tenant n on n.id = m.tenant_id)`

/** The order of the merge. Names are compared by code points, whatever the collation of the database. */
const mergeOrder = (alias: string): string => `${alias}.weight, ${alias}.name collate "C"`

/**
 * The contexts that apply to the objects of the type with the ids in `$1`, as rows `kind`, `key`, `ids`, `data`: for
 * each machine the ids of its contexts in the order of the merge, null where they are too many or too large; then each
 * context that one of them has. A row of the kind `large` takes the place of all contexts where they are too large
 * together.
 */
export const appliedSql = (type: ObjectType): string => `
  with recursive machine as materialized (${machines(type)}),
  ${placed},
  applied as materialized (
    select m.key, c.id, c.weight, c.name from placed m join extras_configcontext c on c.is_active and ${applies}),
  sized as materialized (
    select c.id, c.data, octet_length(c.data::text) as bytes from extras_configcontext c
     where c.id in (select id from applied)),
  merged as materialized (
    select m.key, count(a.id) <= ${contextsMax} and m.bytes + coalesce(sum(s.bytes), 0) <= ${mergedBytesMax} as fits,
           coalesce(json_agg(a.id order by ${mergeOrder("a")}) filter (where a.id is not null), '[]') as ids
      from machine m left join applied a on a.key = m.key left join sized s on s.id = a.id group by m.key, m.bytes),
  shown as materialized (
    select s.* from sized s
     where s.id in (select a.id from applied a join merged g on g.key = a.key where g.fits)),
  total as materialized (select coalesce(sum(bytes), 0) <= ${pageBytesMax} as fits from shown)
  select 'machine' as kind, key::float8 as key, case when fits then ids end as ids, null::jsonb as data from merged
  union all select 'context', s.id::float8, null, s.data from shown s, total t where t.fits
  union all select 'large', null, null, null from total t where not t.fits`

/** Commits may be in another order in the WAL than by their times. */
const slack = "1 hour"

/** A context as the change log has it, `d`: what the first change after a commit found. */
const logged = [
  "(d->>'weight')::bigint as weight, d->>'name' as name, coalesce((d->>'is_active')::boolean, false) as is_active",
  ...criteria.map(
    ([list]) =>
      `array(select e::bigint from jsonb_array_elements_text(
         case jsonb_typeof(d->'${list}') when 'array' then d->'${list}' else '[]' end) e) as ${list}`
  ),
  "d->'data' as data"
].join(", ")

/** For how long after its change a context is waited for until the change log has the change. */
const loggedWithin = "10 seconds"

/** SQL: whether a context has changed that the change log does not have yet: its row names the transaction. */
const isUnlogged = `exists (
  select from extras_configcontext c
   where c.last_updated > clock_timestamp() - interval '${loggedWithin}'
     and not exists (
       select from extras_objectchange o
        where o.changed_object_type = 'extras.configcontext' and o.changed_object_id = c.id and o.time >= c.last_updated
          and o.xid = c.xmin::text::bigint))`

const listNames = criteria.map(([list]) => `c.${list}`).join(", ")

/**
 * The contexts of the machines in `$1`, each as of its commit: those that changed later are as the change log says that
 * the first later change found them. Where the machine's site, its regions and groups, its cluster and its tenant belong
 * is read as it is now. Rows `key`, `data`, `isUnlogged`: the data in the order of the merge, null where it is too many or
 * too large; and whether the change log does not say yet how a context was, so that the data may be wrong.
 */
export const pastSql = `
  with recursive machine as materialized (
    select * from jsonb_to_recordset($1::jsonb) as m(key bigint, position bigint, "time" timestamptz, site_id bigint,
      location_id bigint, device_type_id bigint, role_id bigint, platform_id bigint, cluster_id bigint, tenant_id bigint,
      tags bigint[], bytes bigint)),
  ${placed},
  later as materialized (
    select distinct on (m.key, o.changed_object_id) m.key, o.changed_object_id as id, o.prechange_data::jsonb as d
      from machine m join extras_objectchange o
        on o.changed_object_type = 'extras.configcontext' and o.time >= m.time - interval '${slack}'
       and o.position > m.position
     order by m.key, o.changed_object_id, o.position, o.idx),
  past as (
    select m.key, c.id, c.weight, c.name, c.is_active, ${listNames}, c.data
      from machine m cross join extras_configcontext c
     where not exists (select from later l where l.key = m.key and l.id = c.id)
    union all select key, id, ${logged} from later where jsonb_typeof(d) = 'object'),
  applied as materialized (
    select m.key, c.id, c.weight, c.name, c.data, octet_length(c.data::text) as bytes
      from placed m join past c on c.key = m.key and c.is_active and ${applies}),
  sized as materialized (
    select m.key, count(a.id) <= ${contextsMax} and m.bytes + coalesce(sum(a.bytes), 0) <= ${mergedBytesMax} as fits,
           sum(coalesce(sum(a.bytes), 0)) over (order by m.key) <= ${pageBytesMax} as fits_all
      from machine m left join applied a on a.key = m.key group by m.key, m.bytes)
  select s.key::float8 as key, case when s.fits and s.fits_all then
           (select coalesce(json_agg(a.data order by ${mergeOrder("a")}), '[]') from applied a where a.key = s.key) end as data,
         (select ${isUnlogged}) as "isUnlogged"
    from sized s`

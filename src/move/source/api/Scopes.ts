/** The columns of scopes that NetBox 4.2 caches, and its API does not show: the site and the location of an object. Pure. */
import { numberOf } from "./Translate.ts"

type Tables = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Tables with a scope, by the name of their reference. */
const scoped = [
  ["ipam_prefix", "scope"],
  ["virtualization_cluster", "scope"],
  ["circuits_circuittermination", "termination"]
] as const

const [site, location, network] = ["dcim.site", "dcim.location", "circuits.providernetwork"].map(numberOf)

/** Statements that add and fill the columns, for the tables that are scoped in this release. */
export const scopeStatements = (tables: Tables): ReadonlyArray<string> =>
  scoped.flatMap(([table, name]) => {
    const columns = tables.get(table)
    if (columns?.has(`${name}_type_id`) !== true || !columns.has(`${name}_id`)) return []
    const is = (type: number) => `${name}_type_id = ${type}`
    const siteOfLocation =
      tables.get("dcim_location")?.has("site_id") === true
        ? `(select l.site_id from pg_temp.dcim_location l where l.id = t.${name}_id)`
        : "null"
    return [
      `alter table pg_temp.${table} add column _site_id bigint, add column _location_id bigint, add column _provider_network_id bigint`,
      `update pg_temp.${table} t set
         _site_id = case when ${is(site!)} then ${name}_id when ${is(location!)} then ${siteOfLocation} end,
         _location_id = case when ${is(location!)} then ${name}_id end,
         _provider_network_id = case when ${is(network!)} then ${name}_id end`
    ]
  })

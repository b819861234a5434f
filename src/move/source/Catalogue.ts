/** The catalogue of a NetBox database: tables, columns and content types, and the release that they are of. Pure. */

export interface SourceTable {
  /** Types of Postgres, by column. */
  readonly columns: ReadonlyMap<string, string>
  /** Whether the role may read the table. */
  readonly isReadable: boolean
  /** The reason for people, where the table is not simply forbidden. */
  readonly problem?: string
}

export interface Catalogue {
  readonly tables: ReadonlyMap<string, SourceTable>
  /** `dcim.site` by its number, by the names of Rackwire. */
  readonly contentTypes: ReadonlyMap<number, string>
}

/** A name of the source in SQL: its owner chose it. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text of the source in SQL. */
export const literal = (text: string): string => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`

/** The first table of each release: the last one that exists says which release it is at least. */
const firstTables: ReadonlyArray<readonly [table: string, release: string]> = [
  ["tenancy_contact", "3.1"],
  ["dcim_module", "3.2"],
  ["dcim_cabletermination", "3.3"],
  ["extras_savedfilter", "3.4"],
  ["core_datasource", "3.5"],
  ["extras_bookmark", "3.6"],
  ["extras_eventrule", "3.7"],
  ["users_user", "4.0"],
  ["core_objectchange", "4.1"],
  ["dcim_macaddress", "4.2"]
]

/** The first tables of releases that cannot be moved. */
const laterTables: typeof firstTables = [
  ["extras_tableconfig", "4.3"],
  ["extras_configcontextprofile", "4.4"],
  ["users_owner", "4.5"],
  ["dcim_cablebundle", "4.6"],
  ["dcim_coolingsource", "4.7"]
]

const allTables = [...firstTables, ...laterTables]

/** The release that a database is of at least; undefined for one before 3.1. */
export const releaseOfAtLeast = (tables: Pick<ReadonlySet<string>, "has">): string | undefined =>
  allTables.findLast(([table]) => tables.has(table))?.[1]

/** Tables by which a database of NetBox and its release are recognized. */
export const telltaleTables: ReadonlyArray<string> = [
  ...["dcim_site", "django_content_type"],
  ...allTables.map(([table]) => table)
]

/** The release of a database, for people; columns decide everything else. */
export const releaseOf = (tables: Catalogue["tables"]): { readonly release: string } | { readonly refused: string } => {
  if (!tables.has("dcim_site") || !tables.has("django_content_type")) {
    return { refused: "This is no database of NetBox: it has no tables dcim_site and django_content_type." }
  }
  const [tooNew] = laterTables.find(([table]) => tables.has(table)) ?? []
  if (tooNew !== undefined) {
    return { refused: `The database is of NetBox 4.3 or later (it has ${tooNew}); releases 3.1 to 4.2 can be moved.` }
  }
  const release = releaseOfAtLeast(tables)
  if (release === undefined) {
    return { refused: "The database is of NetBox before 3.1 (it has no tenancy_contact): upgrade NetBox first." }
  }
  return { release }
}

/** Content types that later releases renamed, and proxies of users and groups. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["vpn.l2vpn", "ipam.l2vpn"],
  ["vpn.l2vpntermination", "ipam.l2vpntermination"],
  ["core.objectchange", "extras.objectchange"],
  ["auth.user", "users.user"],
  ["auth.group", "users.group"],
  ["users.netboxuser", "users.user"],
  ["users.netboxgroup", "users.group"]
])

/** The object type of a content type, by the names of Rackwire. */
export const typeNamed = (app: string, model: string): string => renamed.get(`${app}.${model}`) ?? `${app}.${model}`

/**
 * Whether the database has what an expression needs: `column` of the type's own table, `table.column`, or `table.*`.
 */
export const hasAll = ({ tables }: Catalogue, own: string, needs: ReadonlyArray<string>): boolean =>
  needs.every((need) => {
    const [table, column] = need.includes(".") ? need.split(".") : [own, need]
    const columns = tables.get(table!)?.columns
    return columns !== undefined && (column === "*" || columns.has(column!))
  })

/** Many long rows in one transaction. */

/** Inserts so many tenants with comments of so many characters. */
export const longRows = (rows: number, characters: number): string =>
  `insert into tenancy_tenant (name, slug, comments)
   select 'long-' || n, 'long-' || n, repeat('x', ${characters}) from generate_series(1, ${rows}) n`

/** The publication as it is, beside what it should be: every table whose changes become events, whole. */
import { registry } from "../../Registry.ts"

export const publication = "rackwire"

/** The object types whose changes become events, by their tables. */
export const publishedTypes: ReadonlyMap<string, string> = new Map(
  [...registry.values()].filter((type) => type.kind === "object").map((type) => [type.table, type.id])
)

/** The tables that the publication has to list. */
export const publishedTables: ReadonlyArray<string> = [...publishedTypes.keys()]

/** SQL of the versions of the rows that make up the publication ($1), as far as it concerns our tables ($2). */
export const publicationFingerprint = `(
  select p.oid || ' ' || p.xmin || ' ' || coalesce(
    (select string_agg(r.oid || ' ' || r.xmin, ',' order by r.oid) from pg_publication_rel r
      where r.prpubid = p.oid and r.prrelid = any (select to_regclass(quote_ident(name))::oid from unnest($2::text[]) name)), '')
    from pg_publication p where p.pubname = $1)`

/** SQL: the row that the view has of the table `name`. */
const inView = (condition = "true"): string => `
  select from pg_publication_tables t
   where t.pubname = $1 and t.schemaname = current_schema() and t.tablename = name and ${condition}`

export interface FoundPublication {
  /** Null if there is no publication. */
  readonly fingerprint: string | null
  /** As of the last comparison; null if there was none. */
  readonly known: string | null
  readonly operations: boolean
  readonly missing: ReadonlyArray<string>
  /** Tables of which only some rows or columns are published. */
  readonly limited: ReadonlyArray<string>
  /** Tables without replica identity full. */
  readonly unidentified: ReadonlyArray<string>
}

/**
 * SQL of the publication of the name $1, beside the tables $2, as `found`.
 *
 * It reads the rows of the catalog. The view `pg_publication_tables` opens each table to list its columns: it waits for
 * each transaction that alters one, and then shows other columns than the catalog had when the statement began. It is read
 * only for tables without a row of their own (of a schema), and for filters, which do not count beside a schema.
 *
 * Before Postgres 15 a publication had no row filters and no lists of columns: the rows lack those columns.
 */
export const findPublication = `
  with wanted as (select name, to_regclass(quote_ident(name)) as relation from unnest($2::text[]) name),
  listed as (
    select r.prrelid as relation, to_jsonb(r) as shown
      from pg_publication_rel r join pg_publication p on p.oid = r.prpubid where p.pubname = $1)
  select json_build_object(
    'fingerprint', ${publicationFingerprint},
    'known', (select fingerprint from rackwire_epoch order by number desc limit 1),
    'operations', coalesce((select pubinsert and pubupdate and pubdelete and pubtruncate
                              from pg_publication where pubname = $1), false),
    'missing', array(
      select name from wanted left join listed using (relation)
       where case when listed.relation is null and not exists (select from pg_publication where pubname = $1 and puballtables)
                  then not exists (${inView()}) else false end
       order by 1),
    'limited', array(
      select name from wanted join listed using (relation)
       where case when shown->>'prqual' is null then false else exists (${inView("to_jsonb(t)->>'rowfilter' is not null")}) end
          or shown->>'prattrs' is not null and exists (
            select from pg_attribute a where a.attrelid = relation and a.attnum > 0 and not a.attisdropped
               and a.attgenerated = '' and not shown->'prattrs' @> to_jsonb(a.attnum))
       order by 1),
    'unidentified', array(
      select name from wanted join pg_class c on c.oid = wanted.relation where c.relreplident <> 'f' order by 1)
  ) as found`
